package io.vhca.bond;

import java.util.concurrent.TimeUnit;

/**
 * How long the bond's thread sleeps after a turn that found nothing to do: longer each time, up to a millisecond. Where
 * a turn is dear, as on an emulated processor, it sleeps up to 512 turns' time: that the thread goes to sleep and is
 * woken costs several times what the turn does, and a bond without work leaves the processor to its application. What
 * happens wakes it, and so does a deadline ({@link BondAgent}). Pure; one thread.
 */
final class IdlePause {
    static final long SHORTEST_NS = TimeUnit.MICROSECONDS.toNanos(20);
    static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** No pause is longer, should a device not tell. */
    static final long LONGEST_OF_DEAR_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A pause is so many turns. */
    private static final int TURNS = 512;
    /** The cheapest of so many turns is what a turn costs: another one may have waited for the processor. */
    static final int LOOKED_AT = 16;

    private long pauseNs = SHORTEST_NS;
    private long longestNs = LONGEST_NS;
    private long cheapestNs = Long.MAX_VALUE;
    private int looked;

    /** A turn found something to do. */
    void restart() {
        pauseNs = SHORTEST_NS;
    }

    /**
     * How long to sleep now.
     *
     * @param turnNs what the turn took that found nothing
     */
    long next(final long turnNs) {
        cheapestNs = Math.min(cheapestNs, turnNs);
        if (++looked == LOOKED_AT) {
            longestNs = Math.clamp(TURNS * cheapestNs, LONGEST_NS, LONGEST_OF_DEAR_NS);
            cheapestNs = Long.MAX_VALUE;
            looked = 0;
        }
        final long now = Math.min(pauseNs, longestNs);
        pauseNs = Math.min(2 * now, longestNs);
        return now;
    }
}
