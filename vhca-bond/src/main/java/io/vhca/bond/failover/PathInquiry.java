package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.TurnClock;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Members;
import java.net.InetSocketAddress;

/**
 * Asks the peer's bond over a path on which requests do not complete, and over another one at the same time. The path
 * is dead when the answer over the other one is there, and that over this one does not come within as long again. Both
 * go through the same processes at both ends: a host that has no turn is late with both, which says nothing. Control
 * lock.
 */
final class PathInquiry implements Inquiry {
    /** Of the time between two looks at most such a part of the least counts: an answer may be as late as the look. */
    private static final int LOOKS_IN_LEAST = 2;

    private final BondCore core;
    private final long leastNs;
    private final TurnClock time;
    private final long beganNs;
    private boolean isUnanswered;
    private boolean isOver;
    private long decideNs = Long.MAX_VALUE;

    private PathInquiry(final BondCore core, final long leastNs, final long nowNs) {
        this.core = core;
        this.leastNs = leastNs;
        time = new TurnClock(Math.max(1, leastNs / LOOKS_IN_LEAST));
        beganNs = time.turn(nowNs);
    }

    /**
     * Asks about a path, and over another one.
     *
     * @param recovery of a vQP between the same bonds
     * @param leastNs  how much later than over the other path an answer may be in any case
     */
    static PathInquiry begin(
            final BondCore core,
            final Links links,
            final Members members,
            final QpRecovery recovery,
            final PathInUse path,
            final PathInUse other,
            final long leastNs,
            final long nowNs) {
        assert core.holdsLock();
        final PathInquiry inquiry = new PathInquiry(core, leastNs, nowNs);
        inquiry.ask(links, members, recovery, path, inquiry::onAnswer);
        inquiry.ask(links, members, recovery, other, inquiry::onOther);
        return inquiry;
    }

    private void ask(
            final Links links, final Members members, final QpRecovery recovery, final PathInUse over,
            final PathProbe.Told told) {
        PathProbe.send(
                core, links, members.all().get(over.member()),
                new InetSocketAddress(over.remote(), recovery.peerPort()), recovery.identity().peerQpNum(), beganNs,
                told);
    }

    private void onAnswer(final PathProbe.Answer answer, final int echo, final long nowNs) {
        assert core.holdsLock();
        isOver |= answer != PathProbe.Answer.SILENCE;
        isUnanswered = true;
    }

    private void onOther(final PathProbe.Answer answer, final int echo, final long nowNs) {
        assert core.holdsLock();
        isOver |= !answer.isOfBond();
        final long heardNs = time.turn(nowNs);
        decideNs = isUnanswered ? heardNs : heardNs + Math.max(leastNs, heardNs - beganNs);
        core.wakeUp();
    }

    @Override
    public Verdict look(final long nowNs) {
        assert core.holdsLock();
        if (isOver) {
            return Verdict.OVER;
        }
        final long ownNs = time.turn(nowNs);
        return decideNs == Long.MAX_VALUE || ownNs - decideNs < 0 ? Verdict.OPEN : Verdict.DEAD;
    }

    @Override
    public long deadlineNs() {
        return time.realOf(decideNs);
    }
}
