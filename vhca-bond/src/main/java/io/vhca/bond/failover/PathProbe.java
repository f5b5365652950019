package io.vhca.bond.failover;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Asks the peer's bond over one path whether it carries, while a vQP lives on another: one REQ with a PROBE header,
 * which any bond answers by REJ, and nothing else changes. Control lock.
 */
public final class PathProbe implements PathLink.Question {
    private final Told told;

    private PathProbe(final Told told) {
        this.told = told;
    }

    /** What comes of it. */
    public enum Answer {
        /** A bond has answered: the path carries. */
        CARRIES,
        /** The same, and an operator keeps vQPs off the member at its end. */
        DRAINED,
        /** It could not be asked, or what answered is no bond: that is no silence of the path. */
        NO_WORD,
        SILENCE;

        /** Whether a bond has answered. */
        boolean isOfBond() {
            return this == CARRIES || this == DRAINED;
        }
    }

    /** Who is told once what comes of it. */
    @FunctionalInterface
    public interface Told {
        /**
         * The answer is there, or there is none.
         *
         * @param echo the queue pair that echoes are sent to on this path, or 0 where the peer has none
         */
        void onAnswer(Answer answer, int echo, long nowNs);
    }

    /**
     * The REJ that answers a probe.
     *
     * @param session   as asked
     * @param isDrained whether the member that was asked is
     * @param echo      the queue pair for echoes, or 0, which is not told
     */
    static byte[] answer(final SessionId session, final boolean isDrained, final int echo) {
        final byte[] number =
                echo == 0 ? new byte[0] : ByteBuffer.allocate(Integer.BYTES).putInt(echo).array();
        return new RejectRecord(isDrained ? RejectCode.DRAINED : RejectCode.PROBE_ACK, session, 0, number).encode();
    }

    /** Sends the probe. */
    public static void send(
            final BondCore core,
            final Links links,
            final Member member,
            final InetSocketAddress destination,
            final int qpNum,
            final long nowNs,
            final Told told) {
        assert core.holdsLock();
        final byte[] request = new ConnectHeader(
                        RecordType.PROBE,
                        new SessionId(core.random().nextLong(), core.random().nextLong()),
                        member.id(),
                        qpNum)
                .encode(new byte[0]);
        try {
            links.connect(new PathProbe(told), member, destination, request);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            told.onAnswer(Answer.NO_WORD, 0, nowNs);
        }
    }

    private void over(final PathLink link, final Answer answer, final int echo, final long nowNs) {
        link.close();
        told.onAnswer(answer, echo, nowNs);
    }

    @Override
    public void onLinkEstablished(
            final PathLink link, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        over(link, Answer.NO_WORD, 0, nowNs);
    }

    @Override
    public void onLinkRejected(final PathLink link, final byte[] privateData, final long nowNs) {
        // A bond of a version that does not know the question rejects it too: any record proves the path.
        final RejectRecord answer = RejectRecord.read(privateData);
        if (answer == null) {
            over(link, Answer.NO_WORD, 0, nowNs);
            return;
        }
        final boolean isDrained = answer.code() == RejectCode.DRAINED;
        final byte[] data =
                isDrained || answer.code() == RejectCode.PROBE_ACK ? answer.applicationData() : new byte[0];
        over(
                link, isDrained ? Answer.DRAINED : Answer.CARRIES,
                data.length < Integer.BYTES ? 0 : ByteBuffer.wrap(data).getInt(), nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink link, final long nowNs) {
        over(link, Answer.SILENCE, 0, nowNs);
    }
}
