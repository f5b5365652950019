package io.vhca.recovery.wire;

/**
 * Layout of a {@link ReplyRecord}.
 *
 * <pre>
 *   0        4         20             24         32      36         44       52         54        55           56
 *   | prefix | session | sender, vQPN | instance | epoch | received | ledger | features | members | app length |
 *   56            116                                   196
 *   | member list | application data, at most 80 bytes  |
 * </pre>
 *
 * <p>Features ({@link Agreement}) are 0 in version 1, where they were reserved. Ten members with IPv4 addresses fit
 * into the list ({@link MemberListDescriptor}), or three with IPv6 addresses.
 */
final class ReplyDescriptor {
    static final int SESSION_OFFSET = PrefixDescriptor.SIZE;
    static final int SENDER_OFFSET = SESSION_OFFSET + SessionIdDescriptor.SIZE;
    static final int INSTANCE_OFFSET = SENDER_OFFSET + SenderDescriptor.SIZE;
    static final int EPOCH_OFFSET = INSTANCE_OFFSET + Long.BYTES;
    static final int RECEIVED_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int LEDGER_OFFSET = RECEIVED_OFFSET + Long.BYTES;
    static final int FEATURES_OFFSET = LEDGER_OFFSET + Long.BYTES;
    static final int MEMBER_COUNT_OFFSET = FEATURES_OFFSET + Short.BYTES;
    static final int APP_LENGTH_OFFSET = MEMBER_COUNT_OFFSET + Byte.BYTES;
    static final int MEMBER_LIST_OFFSET = APP_LENGTH_OFFSET + Byte.BYTES;
    static final int MEMBER_LIST_SIZE = 60;
    static final int APP_DATA_OFFSET = MEMBER_LIST_OFFSET + MEMBER_LIST_SIZE;

    /** What the application may send along. */
    static final int MAX_APPLICATION_DATA = PrefixDescriptor.MAX_REP_SIZE - APP_DATA_OFFSET;

    private ReplyDescriptor() {}
}
