package io.vhca.rdp.common;

/** How long a thread looks for work before it sleeps, by how many processors there are. Any thread. */
public final class Spinning {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final int NAPS_ON_ONE = 10;

    private Spinning() {}

    /** Turns before it sleeps: none on the only processor, which others want. */
    public static int turns(final int most) {
        return turns(most, PROCESSORS);
    }

    static int turns(final int most, final int processors) {
        return processors > 1 ? most : 0;
    }

    /** A nap beside a thread that does the work: longer where it takes that thread's processor to wake from it. */
    public static long napNs(final long least) {
        return napNs(least, PROCESSORS);
    }

    static long napNs(final long least, final int processors) {
        return processors > 1 ? least : NAPS_ON_ONE * least;
    }
}
