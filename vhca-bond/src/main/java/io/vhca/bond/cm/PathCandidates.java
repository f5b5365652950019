package io.vhca.bond.cm;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.TimedAction;
import io.vhca.bond.link.Affinity;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.Placement;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The paths that a first contact with a peer tries one after another, in rounds with a longer timeout each, until
 * {@code recovery_timeout} has passed. Control lock.
 */
public final class PathCandidates {
    /** Bounds the doubling of the patience, and the work when every attempt fails at once. */
    private static final int MAX_ROUNDS = 5;

    private final BondCore core;
    private final Members members;
    private final Placement placement;
    private final MemberUpWaiters waiters;
    private final List<InetAddress> addresses;
    private final int place;
    private final @Nullable PathLink like;
    private final Deque<Candidate> candidates = new ArrayDeque<>();
    private long startedNs;
    private int rounds;

    /** A member, and an address of the peer's. */
    public record Candidate(Member member, InetAddress address) {
        private boolean isLike(final @Nullable PathLink link) {
            return link != null && link.member() == member && link.remote().equals(address);
        }

        private int affinity() {
            return Affinity.of(member.address(), address);
        }
    }

    /** @param place see {@link PathPreference} */
    public PathCandidates(final CmScope scope, final List<InetAddress> addresses, final int place) {
        this(scope, addresses, place, null);
    }

    /** @param like the path of a connection to the same peer, which is tried first; or null */
    PathCandidates(
            final CmScope scope, final List<InetAddress> addresses, final int place, final @Nullable PathLink like) {
        core = scope.core();
        members = scope.members();
        placement = scope.placement();
        waiters = scope.waiters();
        this.addresses = addresses;
        this.place = place;
        this.like = like;
    }

    public void begin(final long nowNs) {
        assert core.holdsLock();
        startedNs = nowNs;
        fill();
    }

    private void fill() {
        final List<Candidate> all = new ArrayList<>();
        for (final Member member : members.all()) {
            if (member.isEligible()) {
                addresses.forEach(address -> all.add(new Candidate(member, address)));
            }
        }
        final Member preferred = placement.preferred(place);
        // Pairs on one network before any other: routing decides so too.
        all.sort(Comparator.comparing((Candidate candidate) -> !candidate.isLike(like))
                .thenComparing(candidate -> -candidate.affinity() / Byte.SIZE)
                .thenComparing(candidate -> candidate.member != preferred)
                .thenComparing(candidate -> -candidate.affinity()));
        candidates.addAll(all);
        rounds += all.isEmpty() ? 0 : 1;
    }

    /** The next one to try, or null when it is time to give up. */
    public @Nullable Candidate next(final long nowNs) {
        assert core.holdsLock();
        if (candidates.isEmpty() && rounds < MAX_ROUNDS && nowNs - endNs() < 0) {
            fill();
        }
        return candidates.poll();
    }

    /**
     * When there is no next one: where no member is up, which may change in time, the action runs then, or when it is
     * time to give up.
     *
     * @return false when it is no use to wait
     */
    public boolean awaitMember(final TimedAction again, final long nowNs) {
        assert core.holdsLock();
        final boolean waits =
                nowNs - endNs() < 0 && members.all().stream().noneMatch(Member::isEligible);
        if (waits) {
            waiters.add(endNs(), again);
        }
        return waits;
    }

    /** When it is time to give up. */
    public long endNs() {
        return startedNs + core.config().recoveryTimeoutNs();
    }

    /** How long to wait for an answer: a peer whose process has just begun may be slow, so twice as long each round. */
    public long patienceNs() {
        return core.config().pathTimeoutNs() << rounds - 1;
    }
}
