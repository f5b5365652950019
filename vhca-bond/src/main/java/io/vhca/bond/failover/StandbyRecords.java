package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import org.agrona.concurrent.UnsafeBuffer;

/** What the REQs and REPs say by which connections come to stand by, in the name of one vQP. Control lock. */
final class StandbyRecords {
    private static final ReceiverCounts NO_COUNTS = new ReceiverCounts(0, 0);

    private final BondCore core;
    private final Members members;
    private final QpRecovery recovery;
    private final int qpNum;

    StandbyRecords(final BondCore core, final Members members, final QpRecovery recovery, final int qpNum) {
        this.core = core;
        this.members = members;
        this.recovery = recovery;
        this.qpNum = qpNum;
    }

    /** The REQ from a member for a connection that stands by; the number stands where a recovery has its epoch. */
    byte[] request(final Member from, final int number) {
        return request(RecordType.STANDBY, from, number);
    }

    /** The REQ from a member for a channel of the path. */
    byte[] channelRequest(final Member from, final int number) {
        return request(RecordType.CHANNEL, from, number);
    }

    private byte[] request(final RecordType type, final Member from, final int number) {
        assert core.holdsLock();
        return new SessionRecord(
                        from.id(),
                        new RecoveryRequest(
                                type, FailureReason.NONE, recovery.identity().session(), qpNum, recovery.peerQpNum(),
                                number, 0, NO_COUNTS))
                .encode();
    }

    /** The REP to it. */
    byte[] reply(final PathLink request, final int number) {
        assert core.holdsLock();
        return new ReplyRecord(
                        request.member().id(), core.instance(),
                        new RecoveryReply(recovery.identity().session(), qpNum, number, NO_COUNTS),
                        members.addresses(Member::isAlive), new byte[0])
                .encode();
    }

    /** Whether a REQ is for a channel; else it is for a connection that stands by. */
    static boolean asksForChannel(final SessionRecord record) {
        return record.request().type() == RecordType.CHANNEL;
    }

    /** The REJ of a member: there is no room, or no use, now, or it is drained. */
    static byte[] refusal(final Member of) {
        final RejectCode code = of.isDrained() ? RejectCode.DRAINED : RejectCode.NO_RESOURCES;
        return new RejectRecord(code, SessionId.NONE, 0).encode();
    }

    /** Takes what a REP says of the other end; false where it does not answer the REQ of that number. */
    static boolean isAnswered(final PathLink made, final byte[] reply, final int number) {
        final UnsafeBuffer buffer = new UnsafeBuffer(reply);
        if (ReplyRecord.validate(buffer, 0, reply.length) != DecodeResult.OK) {
            return false;
        }
        final ReplyRecord record = ReplyRecord.decode(buffer, 0);
        made.speaksFrom(record.sender());
        return record.reply().epoch() == number;
    }
}
