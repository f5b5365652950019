package io.vhca.recovery.wire;

/**
 * Layout of a {@link RejectRecord}.
 *
 * <pre>
 *   0        4      6            7          8         24      28                                     148
 *   | prefix | code | app length | reserved | session | epoch | application data, at most 120 bytes  |
 * </pre>
 */
final class RejectDescriptor {
    static final int CODE_OFFSET = PrefixDescriptor.SIZE;
    static final int APP_LENGTH_OFFSET = CODE_OFFSET + Short.BYTES;
    static final int RESERVED_OFFSET = APP_LENGTH_OFFSET + Byte.BYTES;
    static final int SESSION_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    static final int EPOCH_OFFSET = SESSION_OFFSET + SessionIdDescriptor.SIZE;
    static final int APP_DATA_OFFSET = EPOCH_OFFSET + Integer.BYTES;

    /** What the application may send along. */
    static final int MAX_APPLICATION_DATA = PrefixDescriptor.MAX_REJ_SIZE - APP_DATA_OFFSET;

    private RejectDescriptor() {}
}
