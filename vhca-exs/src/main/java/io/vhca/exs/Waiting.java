package io.vhca.exs;

/** How a thread waits that found nothing to do, by how many turns it found nothing. Pure. */
final class Waiting {
    private static final int SPINS = 200;
    private static final int YIELDS = 100;

    private static final long FIRST_NAP_NS = 500_000;
    private static final long LONGEST_NAP_NS = 4_000_000;
    private static final long LONGEST_SLEEP_NS = 100_000_000;

    private final int spins;
    private final int yields;

    /** @param processors of this host */
    Waiting(final int processors) {
        // Turns keep the only processor from what they wait for; and who yields it while another thread works gets it
        // back when the scheduler likes, who sleeps when there is something.
        spins = processors > 1 ? SPINS : 0;
        yields = processors > 1 ? SPINS + YIELDS : 0;
    }

    /** Whether the next turn is to follow at once: what comes within microseconds is not waited for. */
    boolean spins(final int turns) {
        return turns < spins;
    }

    /** Whether the next turn is to follow when others had the processor; else the thread sleeps until a completion. */
    boolean yields(final int turns) {
        return turns < yields;
    }

    /**
     * How long it sleeps at most. Where nothing but a completion wakes it, it looks for the rest by itself, and less
     * often while nothing happens.
     *
     * @param isTold      everything wakes it
     * @param untilLookNs how long until the clock has something for it
     */
    long napNs(final int turns, final boolean isTold, final long untilLookNs) {
        final long mostNs =
                isTold ? LONGEST_SLEEP_NS : Math.min(LONGEST_NAP_NS, FIRST_NAP_NS * Math.max(1, turns - yields));
        return Math.min(mostNs, untilLookNs);
    }
}
