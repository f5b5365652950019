package io.vhca.bond.fake;

import io.vhca.recovery.ConnectHeader;
import io.vhca.recovery.RecordType;
import io.vhca.recovery.ReplyRecord;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import java.util.List;

/** Records between bonds as bytes: the one place where tests write them. */
public final class Records {
    private Records() {}

    /** A REQ that opens a connection, or asks whether the path carries. */
    public static byte[] header(final RecordType type, final SessionId session, final int qpNum) {
        return new ConnectHeader(type, session, qpNum).encode(new byte[0]);
    }

    /** A REQ of a session that was connected: RECOVER, CLOSE or OOB. */
    public static byte[] session(
            final RecordType type, final SessionId session, final int from, final int to, final int epoch) {
        return new SessionRecord(type, 0, session, from, to, epoch, 0, 0, 0).encode();
    }

    /** The answer to a REQ that opens a connection. */
    public static byte[] reply(final SessionId session, final int qpNum, final long instance) {
        return new ReplyRecord(session, qpNum, instance, 0, 0, 0, 0, List.of(), new byte[0]).encode();
    }
}
