package io.vhca.recovery.wire;

/**
 * Layout of a {@link ConnectHeader}, and what follows it in a REQ.
 *
 * <pre>
 *   0        4         20             24                                     56
 *   | prefix | session | sender, vQPN | application data, at most 32 bytes   |
 * </pre>
 */
final class ConnectDescriptor {
    static final int SESSION_OFFSET = PrefixDescriptor.SIZE;
    static final int SENDER_OFFSET = SESSION_OFFSET + SessionIdDescriptor.SIZE;

    /** Bytes of the header. */
    static final int SIZE = SENDER_OFFSET + SenderDescriptor.SIZE;

    /** What the application may send along. */
    static final int MAX_APPLICATION_DATA = PrefixDescriptor.MAX_REQ_SIZE - SIZE;

    private ConnectDescriptor() {}
}
