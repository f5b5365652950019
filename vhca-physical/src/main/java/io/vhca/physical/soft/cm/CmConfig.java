package io.vhca.physical.soft.cm;

/**
 * Times of the connection manager, in nanoseconds, and its limits.
 *
 * @param maxTries      how often a message is sent before the peer counts as unreachable
 * @param firstWaitNs   how long the first answer may take; each further try waits half as long again
 * @param longestWaitNs where that growth ends
 * @param timewaitNs    how long the remains of a connection answer late messages
 * @param mraTimeout    what an MRA asks for, 4.096 us * 2^mraTimeout
 * @param limits        how many connections may be half open
 */
public record CmConfig(
        int maxTries, long firstWaitNs, long longestWaitNs, long timewaitNs, int mraTimeout, CmLimits limits) {
    /** Eight tries from 50 ms up to 1 s, 2.5 s in all; timewait 1 s; an MRA asks for 1 s. */
    public static final CmConfig DEFAULT =
            new CmConfig(8, 50_000_000L, 1_000_000_000L, 1_000_000_000L, 18, CmLimits.DEFAULT);

    /** The wait after a try, counted from 0. */
    long waitNs(final int tried) {
        long wait = firstWaitNs;
        for (int i = 0; i < tried && wait < longestWaitNs; i++) {
            wait += wait / 2;
        }
        return Math.min(wait, longestWaitNs);
    }

    /** Nanoseconds of a 5-bit timeout code. */
    static long codeToNs(final int code) {
        return 4_096L << Math.min(code, 31);
    }
}
