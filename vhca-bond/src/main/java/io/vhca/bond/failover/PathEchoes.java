package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.echo.Echoes;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peers;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.SessionId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@link PathEcho} of each path that healthy vQPs use, and of the one that it would be compared with. Each is asked
 * once in a while, so that it is known how long an answer takes before it matters. Control lock. Owns the
 * {@link Echoes}, which answer peers as well.
 */
final class PathEchoes implements AutoCloseable {
    /** While something is under way, so many times {@code detect_min} are between two questions. */
    private static final int BUSY_BEAT = 5;
    /** And while nothing is. */
    private static final int IDLE_BEAT = 20;

    private final BondCore core;
    private final Links links;
    private final Members members;
    private final QpTable qps;
    private final Peers peers;
    private final Echoes echoes;
    private final Map<PathInUse, PathEcho> known = new HashMap<>();
    private boolean hasBeaten;
    private long lastBeatNs;

    PathEchoes(
            final BondCore core, final Links links, final Members members, final QpTable qps, final Peers peers) {
        this.core = core;
        this.links = links;
        this.members = members;
        this.qps = qps;
        this.peers = peers;
        echoes = new Echoes(core, members);
    }

    /** The REJ that answers a {@link PathProbe}: a peer may ask by echoes from now on, and nobody else. */
    byte[] answer(final PathLink probe, final SessionId session) {
        final boolean isAdmitted = core.asksPeers() && peers.isKnownAt(probe.remote());
        final Member asked = probe.member();
        // Since version 2, as what stands by: an older bond takes a code that it does not know for no word of a bond.
        final boolean isToldDrained = asked.isDrained() && probe.agreement().has(Agreement.STANDBY);
        return PathProbe.answer(session, isToldDrained, isAdmitted ? echoes.admit(asked, probe.remote()) : 0);
    }

    /** The echo of a path whose silence would say something; or null. */
    @Nullable PathEcho live(final PathInUse path) {
        final PathEcho found = known.get(path);
        return found != null && found.isLive() ? found : null;
    }

    /** As {@link Echoes#poll}. */
    int poll() {
        return echoes.poll();
    }

    /**
     * Asks where it is time; whether it was.
     *
     * @param isBusy  whether something is under way
     * @param leastNs {@code detect_min}
     */
    boolean beat(final boolean isBusy, final long leastNs, final long nowNs) {
        assert core.holdsLock();
        if (hasBeaten && nowNs - lastBeatNs < (isBusy ? BUSY_BEAT : IDLE_BEAT) * leastNs) {
            return false;
        }
        hasBeaten = true;
        lastBeatNs = nowNs;
        final Set<PathInUse> beaten = new HashSet<>();
        PathInUse.all(qps).forEach((path, recovery) -> {
            final PathInUse other = path.elsewhere(recovery, nowNs);
            if (other != null) {
                beat(path, recovery, beaten, nowNs);
                beat(other, recovery, beaten, nowNs);
            }
        });
        known.keySet().retainAll(beaten);
        return true;
    }

    private void beat(
            final PathInUse path, final QpRecovery recovery, final Set<PathInUse> beaten, final long nowNs) {
        if (beaten.add(path)) {
            final Member from = members.all().get(path.member());
            final PathEcho before = known.get(path);
            final PathEcho echo =
                    before != null && before.isFrom(from) ? before : new PathEcho(core, links, echoes, path, from);
            known.put(path, echo);
            echo.beat(recovery, nowNs);
        }
    }

    /** Nothing is known any more. */
    void clear() {
        known.clear();
        hasBeaten = false;
    }

    @Override
    public void close() {
        echoes.close();
    }
}
