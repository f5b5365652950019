package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/** What one fault is drawn with: random numbers of its own, and the bounds of its scenario. */
public final class FaultDice {
    private static final int DELAYS_IN_A_ROW = 8;
    private static final long SHORTEST_NS = 10_000;
    private static final long LONGEST_DELAY_NS = 2_000_000;
    /** A retry of the quickest transport comes after a millisecond, and there is one at least. */
    private static final long LONGEST_UNNOTICED_NS = 250_000;
    private static final int OUTAGES_OF_STARVATION = 4;
    /** Less than the least path_timeout. */
    private static final long LONGEST_OF_FIRST_NS = 18_000_000;
    private static final int FIRST_PACKETS = 12;

    private final SplittableRandom random;
    private final FaultScope scope;

    FaultDice(final SplittableRandom random, final FaultScope scope) {
        this.random = random;
        this.scope = scope;
    }

    /** True once in so many times. */
    public boolean oneIn(final int times) {
        return random.nextInt(times) == 0;
    }

    /** A number of {@code low .. end - 1}. */
    public int number(final int low, final int end) {
        return random.nextInt(low, end);
    }

    public Side side() {
        return Side.of(random.nextInt(2));
    }

    /** One member of a side: the first, which most of the work is on, or any. */
    public Members member() {
        return oneIn(3) ? anyMember() : Members.one(side(), 0);
    }

    /** One member of a side. */
    public Members anyMember() {
        final Side side = side();
        return Members.one(side, random.nextInt(scope.members().of(side)));
    }

    /** Every member of a side. */
    public Members allMembers() {
        final Side side = side();
        return Members.all(side, scope.members().of(side));
    }

    /** A time of delays within one path. */
    public long delayNs() {
        return Draws.logUniform(random, SHORTEST_NS, LONGEST_DELAY_NS);
    }

    /** A time that nobody gives a path up in, not even where four of them come one after the other. */
    public long unnoticedNs() {
        return Draws.logUniform(random, SHORTEST_NS, LONGEST_UNNOTICED_NS);
    }

    /** A time that something is away. */
    public long outageNs() {
        return Draws.logUniform(random, SHORTEST_NS, scope.longestOutageNs());
    }

    /** A packet of any kind. */
    public int packet() {
        return random.nextInt(Math.max(1, scope.packets()));
    }

    /** Up to three packets in a row, of a kind that makes up one part in so many. */
    public Timing packetsOf(final int parts) {
        return new Timing.Packets(random.nextInt(Math.max(1, scope.packets() / parts)), number(1, 4));
    }

    /** One or two CM messages in a row, of a kind that each connection sends one of. */
    public Timing cmMessages() {
        return new Timing.Packets(random.nextInt(scope.connections() + 1), number(1, 3));
    }

    /** It lasts long enough for several packets that are so late. */
    public Timing whileDelayed(final long delayNs) {
        return new Timing.Period(packet(), DELAYS_IN_A_ROW * delayNs, 1);
    }

    /** It lasts for a time, once. */
    public Timing outage() {
        return new Timing.Period(packet(), outageNs(), 1);
    }

    /** It lasts for less than a path_timeout, from while the first connections are made. */
    public Timing whileConnecting() {
        return new Timing.Period(
                random.nextInt(FIRST_PACKETS), Draws.logUniform(random, SHORTEST_NS, LONGEST_OF_FIRST_NS), 1);
    }

    /** One of a host's threads, or all of them. */
    public Set<HostThread> threads() {
        final EnumSet<HostThread> all = EnumSet.allOf(HostThread.class);
        if (!scope.isBond()) {
            all.remove(HostThread.BOND);
        }
        final int drawn = random.nextInt(2 * all.size());
        return drawn >= all.size() ? all : EnumSet.of(all.toArray(HostThread[]::new)[drawn]);
    }

    /** Threads have few turns for a time that is longer than an outage: something goes on all the while. */
    public Timing starvation() {
        return new Timing.Period(packet(), OUTAGES_OF_STARVATION * outageNs(), 1);
    }

    /** It does not end. */
    public Timing forGood() {
        return new Timing.ForGood(packet());
    }
}
