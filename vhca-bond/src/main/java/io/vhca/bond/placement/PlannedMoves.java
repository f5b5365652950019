package io.vhca.bond.placement;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.failover.PathProbe;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Moves healthy vQPs to where {@link Placement} wants them: away from a drained member, to the member that was made
 * active, back to their place when its link is up again.
 *
 * <pre>
 *   probe the path --carries--> gate closed, what the hardware has completes --quiet, or drain_timeout--> recovery
 * </pre>
 *
 * <p>The last step is the failover path with a drained log: there is little to replay. A path that does not carry is
 * suspect as after any failure, and is asked again when that is over. One whose member the
 * peer has drained is put off for as long. Control lock.
 */
public final class PlannedMoves implements DutyCycle, MemberObserver {
    /** So that a member with thousands of vQPs does not hold up the bond's other work. */
    private static final int MOST_AT_ONCE = 64;

    private static final int NOBODY = -1;
    private static final long QUIET_LOOK_NS = 20_000;

    private final BondCore core;
    private final Links links;
    private final QpTable qps;
    private final Placement placement;
    private final Map<QpRecovery, Move> moves = new LinkedHashMap<>();
    private boolean asked;
    /** The index of the first vQP that was not looked at, as there were moves enough: it is next when one has ended. */
    private int waiting = NOBODY;

    private boolean started;
    private long lookedNs;

    /** A move under way: probing the path, then waiting for the hardware to be done. */
    private static final class Move {
        private final PathId path;
        private boolean quieting;
        private long quietUntilNs;

        private Move(final PathId path) {
            this.path = path;
        }
    }

    public PlannedMoves(
            final BondCore core, final Links links, final QpTable qps, final Placement placement) {
        this.core = core;
        this.links = links;
        this.qps = qps;
        this.placement = placement;
    }

    /** Something changed that may make a vQP move: looks at the next turn. */
    @Override
    public void onPreferenceChanged() {
        assert core.holdsLock();
        asked = true;
        core.wakeUp();
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        int work = advance(nowNs);
        if (asked || started && nowNs - nextLookNs() >= 0) {
            asked = false;
            work += begin(0, nowNs);
        } else if (mayGoOn()) {
            work += begin(waiting, nowNs);
        }
        if (!started || nowNs - nextLookNs() >= 0) {
            started = true;
            lookedNs = nowNs;
        }
        return work;
    }

    /** By what {@code miimon} is now, also where it was another at the last look. */
    private long nextLookNs() {
        return lookedNs + core.config().miimonNs();
    }

    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        next.add(asked || mayGoOn() ? core.nowNs() : started ? nextLookNs() : Long.MAX_VALUE);
        for (final Move move : moves.values()) {
            // What the hardware has completes without a word to this thread.
            next.add(move.quieting ? core.nowNs() + QUIET_LOOK_NS : Long.MAX_VALUE);
        }
        return next.atNs();
    }

    private boolean mayGoOn() {
        return waiting != NOBODY && moves.size() < MOST_AT_ONCE;
    }

    /** Begins those from that index on, as many as there may be. */
    private int begin(final int first, final long nowNs) {
        final @Nullable BondQueuePair[] all = qps.all();
        waiting = NOBODY;
        int count = 0;
        for (int index = first; index < all.length; index++) {
            final BondQueuePair qp = all[index];
            if (qp == null) {
                continue;
            }
            if (moves.size() == MOST_AT_ONCE) {
                waiting = index;
                break;
            }
            if (begin(QpRecovery.of(qp), nowNs)) {
                count++;
            }
        }
        return count;
    }

    private boolean begin(final QpRecovery recovery, final long nowNs) {
        final PathLink link = recovery.healthyLink();
        if (link == null || moves.containsKey(recovery)) {
            return false;
        }
        final RemotePaths paths = recovery.paths();
        final Member wanted = placement.better(paths.place(), link.member());
        if (wanted == null || !link.member().isDrained() && !wanted.isSteady(core.config().updelayNs(), nowNs)) {
            return false;
        }
        paths.refresh();
        final PathId path = pathTo(wanted, link, paths, nowNs);
        if (path == null) {
            return false;
        }
        final Member to = paths.member(path);
        final Move move = new Move(path);
        moves.put(recovery, move);
        assert moves.size() <= MOST_AT_ONCE;
        PathProbe.send(
                core,
                links,
                to,
                new InetSocketAddress(paths.address(path.remoteAddress()), recovery.peerPort()),
                recovery.identity().peerQpNum(),
                nowNs,
                (answer, echo, atNs) -> onProbed(recovery, move, answer, atNs));
        return true;
    }

    /** A drained member is left for any other, where the path to the one that is wanted does not carry. */
    private static @Nullable PathId pathTo(
            final Member wanted, final PathLink inUse, final RemotePaths paths, final long nowNs) {
        final PathId good = paths.table().goodPath(wanted.index(), nowNs);
        return good != null || !inUse.member().isDrained()
                ? good
                : paths.table()
                        .elsewhere(new PathId(inUse.member().index(), paths.indexOf(inUse.remote())), nowNs);
    }

    private void onProbed(final QpRecovery recovery, final Move move, final PathProbe.Answer answer, final long nowNs) {
        assert core.holdsLock();
        if (moves.get(recovery) != move) {
            // A failure took it first, and what is to move now is asked for over a path of its own.
            return;
        }
        final PathLink inUse = recovery.healthyLink();
        if (inUse == null || answer == PathProbe.Answer.DRAINED && !mustGo(inUse, move, recovery.paths(), nowNs)) {
            moves.remove(recovery);
        } else if (answer == PathProbe.Answer.NO_WORD || answer == PathProbe.Answer.SILENCE) {
            moves.remove(recovery);
            recovery.paths().table().failed(move.path, nowNs);
        } else {
            move.quieting = true;
            move.quietUntilNs = nowNs + core.config().drainTimeoutNs();
            recovery.attachment().stopSending();
            core.wakeUp();
        }
    }

    /**
     * The member at the end of the path is drained: one that is drained here too is left for it where there is no other
     * path. Of both bonds only the one that placed the vQP does so, else it would go to and fro.
     */
    private boolean mustGo(final PathLink inUse, final Move move, final RemotePaths paths, final long nowNs) {
        paths.table().putOff(move.path, nowNs);
        final Member wanted = placement.better(paths.place(), inUse.member());
        return inUse.member().isDrained()
                && paths.isPlacedHere()
                && wanted != null
                && pathTo(wanted, inUse, paths, nowNs) == null;
    }

    private int advance(final long nowNs) {
        if (moves.isEmpty()) {
            return 0;
        }
        final List<QpRecovery> ready = new ArrayList<>();
        for (final Iterator<Map.Entry<QpRecovery, Move>> i = moves.entrySet().iterator(); i.hasNext(); ) {
            final Map.Entry<QpRecovery, Move> entry = i.next();
            final Move move = entry.getValue();
            if (entry.getKey().healthyLink() == null) {
                // A failure, or a close, came first and went the same way.
                i.remove();
            } else if (move.quieting
                    && (entry.getKey().attachment().isQuiet() || nowNs - move.quietUntilNs >= 0)) {
                i.remove();
                entry.getKey().machine().wantPath(move.path);
                ready.add(entry.getKey());
            }
        }
        ready.forEach(recovery -> recovery.onPathFailure(FailureReason.PLANNED, nowNs));
        return ready.size();
    }
}
