package io.vhca.harness.sim.core;

import java.util.SplittableRandom;

/** How the simulator draws random numbers. */
public final class Draws {
    private static final int STREAMS = 1_000;

    private Draws() {}

    /** A stream for what happens during the run of a seed, one for each purpose. */
    public static SplittableRandom stream(final long seed, final int purpose) {
        return new SplittableRandom(Content.key(seed, STREAMS + purpose));
    }

    /** True in so many cases of a hundred. */
    public static boolean percent(final SplittableRandom random, final int percent) {
        return random.nextInt(100) < percent;
    }

    /** Between two bounds, each order of magnitude as likely as the next. */
    public static long logUniform(final SplittableRandom random, final long low, final long high) {
        return (long) (low * Math.pow((double) high / low, random.nextDouble()));
    }
}
