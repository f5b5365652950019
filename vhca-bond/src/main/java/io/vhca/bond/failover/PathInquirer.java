package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Members;
import org.jspecify.annotations.Nullable;

/**
 * Begins inquiries: by echoes where both paths have them, else by the connection manager, which takes its time. Control
 * lock.
 */
final class PathInquirer {
    /** An echo may be such a part of {@code detect_min} later than over another path. */
    private static final int LATER = 2;

    private final BondCore core;
    private final Links links;
    private final Members members;
    private final PathEchoes echoes;

    PathInquirer(final BondCore core, final Links links, final Members members, final PathEchoes echoes) {
        this.core = core;
        this.links = links;
        this.members = members;
        this.echoes = echoes;
    }

    /** Null where there is no other path to compare it with. */
    @Nullable Inquiry begin(
            final PathInUse path, final QpRecovery recovery, final long leastNs, final long nowNs) {
        assert core.holdsLock();
        final PathInUse other = path.elsewhere(recovery, nowNs);
        if (other == null) {
            return null;
        }
        final Inquiry byEchoes = askByEchoes(path, other, recovery, leastNs, nowNs);
        return byEchoes != null ? byEchoes : ask(path, other, recovery, leastNs, nowNs);
    }

    /** The same by echoes alone; null where one of the paths has none. */
    @Nullable Inquiry beginByEchoes(
            final PathInUse path, final QpRecovery recovery, final long leastNs, final long nowNs) {
        assert core.holdsLock();
        final PathInUse other = path.elsewhere(recovery, nowNs);
        return other == null ? null : askByEchoes(path, other, recovery, leastNs, nowNs);
    }

    private @Nullable Inquiry askByEchoes(
            final PathInUse path, final PathInUse other, final QpRecovery recovery, final long leastNs,
            final long nowNs) {
        final PathEcho suspect = echoes.live(path);
        final PathEcho compared = echoes.live(other);
        return suspect == null || compared == null
                ? null
                : new EchoInquiry(
                        core, suspect, compared, leastNs / LATER,
                        () -> ask(path, other, recovery, leastNs, core.nowNs()), nowNs);
    }

    private Inquiry ask(
            final PathInUse path, final PathInUse other, final QpRecovery recovery, final long leastNs,
            final long nowNs) {
        return PathInquiry.begin(core, links, members, recovery, path, other, leastNs, nowNs);
    }
}
