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
    /** So many rounds have twice the patience of the one before; no other follows where all attempts fail at once. */
    private static final int GROWING_ROUNDS = 5;
    /**
     * That part of its patience is the least that a round lasts. Where links die, all attempts fail at once before
     * anybody has heard of it: without time between them all rounds would be over by then.
     */
    private static final int LEAST_ROUND = 8;

    private final BondCore core;
    private final Members members;
    private final Placement placement;
    private final ConnectWaits waits;
    private final List<InetAddress> addresses;
    private final List<InetAddress> past;
    private final int place;
    private final @Nullable PathLink like;
    private final Deque<Candidate> candidates = new ArrayDeque<>();
    private long startedNs;
    private long roundNs;
    private int rounds;
    private int refusal;

    /** A member, and an address of the peer's. */
    public record Candidate(Member member, InetAddress address) {
        private boolean isLike(final @Nullable PathLink link) {
            return link != null && link.member() == member && link.remote().equals(address);
        }

        private int affinity() {
            return Affinity.of(member.address(), address);
        }
    }

    /**
     * @param addresses where the peer is
     * @param past      where it was, and another host may be now: one of the others is tried before
     * @param place     see {@link PathPreference}
     */
    public PathCandidates(
            final CmScope scope, final List<InetAddress> addresses, final List<InetAddress> past, final int place) {
        this(scope, addresses, past, place, null);
    }

    /** @param like the path of a connection to the same peer, which is tried first; or null */
    PathCandidates(
            final CmScope scope, final List<InetAddress> addresses, final List<InetAddress> past, final int place,
            final @Nullable PathLink like) {
        core = scope.core();
        members = scope.members();
        placement = scope.placement();
        waits = scope.waits();
        this.addresses = new ArrayList<>(addresses);
        this.past = List.copyOf(past);
        this.addresses.addAll(past);
        this.place = place;
        this.like = like;
    }

    public void begin(final long nowNs) {
        assert core.holdsLock();
        startedNs = nowNs;
        fill(nowNs);
    }

    private void fill(final long nowNs) {
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
                .thenComparing(candidate -> isPast(candidate.address))
                .thenComparing(candidate -> candidate.member != preferred)
                .thenComparing(candidate -> -candidate.affinity()));
        // Whoever is asked first is the peer.
        all.stream().filter(candidate -> !isPast(candidate.address)).findFirst().ifPresent(first -> {
            all.remove(first);
            all.addFirst(first);
        });
        candidates.addAll(all);
        if (!all.isEmpty()) {
            refusal = 0;
            rounds++;
            roundNs = nowNs;
        }
    }

    /** When a round may follow this one. */
    private long nextRoundNs() {
        assert rounds > 0 : "no round has begun";
        return roundNs + patienceNs() / LEAST_ROUND;
    }

    /** All attempts failed at once, often enough. A peer that is silent may only be late. */
    private boolean isFutile(final long nowNs) {
        return rounds >= GROWING_ROUNDS && nowNs - nextRoundNs() < 0;
    }

    /** The next one to try; null where there is none now, see {@link #await}. */
    public @Nullable Candidate next(final long nowNs) {
        assert core.holdsLock();
        if (nowNs - endNs() >= 0) {
            return null; // the rest of a round too
        }
        if (candidates.isEmpty()
                && !isFutile(nowNs)
                && (rounds == 0 || nowNs - nextRoundNs() >= 0)) {
            fill(nowNs);
        }
        return candidates.poll();
    }

    /**
     * When there is no next one now: where no member is up, or a round is over too early, the action runs when that has
     * changed, or when it is time to give up. Rounds are counted anew once a member is up again.
     *
     * @return false when it is no use to wait
     */
    public boolean await(final TimedAction again, final long nowNs) {
        assert core.holdsLock();
        if (nowNs - endNs() >= 0) {
            return false;
        }
        if (members.all().stream().noneMatch(Member::isEligible)) {
            refusal = 0;
            rounds = 0;
            waits.forMember(endNs(), again);
            return true;
        }
        if (rounds == 0 || isFutile(nowNs)) {
            return false;
        }
        waits.until(nextRoundNs(), again);
        return true;
    }

    /** Whether the peer was at that address, and another host may be now. */
    public boolean isPast(final InetAddress address) {
        return past.contains(address);
    }

    /** Who is at that address is not the peer. */
    public void leave(final InetAddress address) {
        addresses.remove(address);
        candidates.removeIf(candidate -> candidate.address.equals(address));
    }

    /**
     * Whether a refusal from there counts for nothing: whoever is now where the peer was does not speak for it. A bond
     * that is there is not asked again.
     */
    public boolean passesOver(final InetAddress from, final boolean isBond) {
        if (isBond && isPast(from)) {
            leave(from);
        }
        return isPast(from);
    }

    /** The peer's CM has rejected one of this round by itself, for that reason. */
    void refused(final int reason) {
        refusal = reason;
    }

    /** Why it has rejected the last one of this round that it did; 0 where it has rejected none. */
    int refusal() {
        return refusal;
    }

    /** When it is time to give up. */
    public long endNs() {
        return startedNs + core.config().recoveryTimeoutNs();
    }

    /** How long to wait for an answer: a peer whose process has just begun may be slow, so longer each round. */
    private long patienceNs() {
        return core.config().pathTimeoutNs() << Math.min(rounds, GROWING_ROUNDS) - 1;
    }

    /** Until when to wait for the answer of one that is asked now. */
    public long untilNs(final long nowNs) {
        return nowNs + Math.min(patienceNs(), endNs() - nowNs);
    }
}
