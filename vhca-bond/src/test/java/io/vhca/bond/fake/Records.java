package io.vhca.bond.fake;

import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.util.List;

/** Records between bonds as bytes: the one place where tests write them. */
public final class Records {
    private Records() {}

    private static final MemberId FIRST = new MemberId(0, 0);

    /** A REQ that opens a connection, or asks whether the path carries. */
    public static byte[] header(final RecordType type, final SessionId session, final int qpNum) {
        return new ConnectHeader(type, session, FIRST, qpNum).encode(new byte[0]);
    }

    /** A REQ of a session that was connected: RECOVER or CLOSE; or OOB, of a bond that nobody knows. */
    public static byte[] session(
            final RecordType type, final SessionId session, final int from, final int to, final int epoch) {
        final RecoveryRequest request = new RecoveryRequest(
                type, FailureReason.NONE, session, from, to, epoch, 0, new ReceiverCounts(0, 0));
        return type == RecordType.OOB
                ? new OutOfBandRecord(FIRST, 0x99, request).encode()
                : new SessionRecord(FIRST, request).encode();
    }

    /** The answer to a REQ that opens a connection. */
    public static byte[] reply(final SessionId session, final int qpNum, final long instance) {
        return new ReplyRecord(
                        FIRST, instance, new RecoveryReply(session, qpNum, 0, new ReceiverCounts(0, 0)), List.of(),
                        new byte[0])
                .encode();
    }
}
