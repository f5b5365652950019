package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.recovery.PathId;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the peer's bond over a path on which requests do not complete, and over another one at the same time. The path
 * is dead when the answer over the other one is there, and that over this one does not come within as long again. Both
 * go through the same processes at both ends: a host that has no turn is late with both, which says nothing. Control
 * lock.
 */
final class PathInquiry {
    private final BondCore core;
    private final long leastNs;
    private final long beganNs;
    private boolean isUnanswered;
    private boolean isOver;
    private long decideNs = Long.MAX_VALUE;
    /** How late turns have been in all when the answer over the other path came. */
    private long lateNs;

    private PathInquiry(final BondCore core, final long leastNs, final long nowNs) {
        this.core = core;
        this.leastNs = leastNs;
        beganNs = nowNs;
    }

    /**
     * Asks about the path of a healthy vQP; null where there is no other path to compare it with.
     *
     * @param leastNs how much later than over the other path an answer may be in any case
     */
    static @Nullable PathInquiry begin(
            final BondCore core,
            final Links links,
            final Members members,
            final QpRecovery recovery,
            final long leastNs,
            final long nowNs) {
        assert core.holdsLock();
        final PathLink link = recovery.healthyLink();
        if (link == null) {
            return null;
        }
        final RemotePaths paths = recovery.paths();
        paths.refresh();
        final PathId inUse = new PathId(link.member().index(), paths.indexOf(link.remote()));
        final PathId other = paths.table().elsewhere(inUse, nowNs);
        if (other == null) {
            return null;
        }
        final PathInquiry inquiry = new PathInquiry(core, leastNs, nowNs);
        inquiry.ask(links, recovery, link.member(), inUse, nowNs, inquiry::onAnswer);
        inquiry.ask(links, recovery, members.all().get(other.localMember()), other, nowNs, inquiry::onOther);
        return inquiry;
    }

    private void ask(
            final Links links, final QpRecovery recovery, final Member from, final PathId path, final long nowNs,
            final BiConsumer<Boolean, Long> told) {
        PathProbe.send(
                core, links, from,
                new InetSocketAddress(recovery.paths().address(path.remoteAddress()), recovery.peerPort()),
                recovery.identity().peerQpNum(), nowNs, told);
    }

    private void onAnswer(final boolean carries, final long nowNs) {
        assert core.holdsLock();
        isOver |= carries;
        isUnanswered = true;
    }

    private void onOther(final boolean carries, final long nowNs) {
        assert core.holdsLock();
        isOver |= !carries;
        decideNs = isUnanswered ? nowNs : nowNs + Math.max(leastNs, nowNs - beganNs);
        lateNs = core.lateNs();
        core.wakeUp();
    }

    /** The path carries, or nothing can be said of it. */
    boolean isOver() {
        return isOver;
    }

    /** Whether the path is dead. Of a look that comes late nothing follows: an answer may be as late. */
    boolean isDead(final long nowNs) {
        assert core.holdsLock();
        if (isOver || decideNs == Long.MAX_VALUE || nowNs - decideNs < 0) {
            return false;
        }
        if (core.lateNs() != lateNs || nowNs - decideNs > leastNs) {
            decideNs = nowNs + leastNs;
            lateNs = core.lateNs();
            return false;
        }
        return true;
    }

    /** When {@link #isDead} has something to say; {@link Long#MAX_VALUE} while answers are awaited. */
    long deadlineNs() {
        return decideNs;
    }
}
