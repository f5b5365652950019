package io.vhca.rdp;

/**
 * How long a driver's thread sleeps at a time while a thread of the application gives the driver its turns. Each nap
 * takes a processor from somebody, so who goes on giving turns is looked after less often: each nap is twice as long as
 * the one before, to 16 times the first. Pure.
 */
final class HelpedNaps {
    private static final int MOST_DOUBLINGS = 4;

    private final long firstNs;
    private int doublings;

    HelpedNaps(final long firstNs) {
        this.firstNs = firstNs;
    }

    /** There was help again: how long the next nap is. */
    long nextNs() {
        final long nextNs = firstNs << doublings;
        doublings = Math.min(MOST_DOUBLINGS, doublings + 1);
        return nextNs;
    }

    /** There was none. */
    void end() {
        doublings = 0;
    }
}
