package io.vhca.harness.drill;

/**
 * Judges the sequence numbers that arrive: exactly once and in order means 0, 1, 2 ... Pure.
 *
 * <p>A number below the next expected one counts as doubled, one above it as a gap that loses those in between.
 */
final class ArrivalCheck {
    private long next;
    private long arrived;
    private long doubled;
    private long lost;

    void on(final long sequence) {
        arrived++;
        if (sequence < next) {
            doubled++;
        } else {
            lost += sequence - next;
            next = sequence + 1;
        }
    }

    /** The sender says how many there were. */
    void end(final long sent) {
        lost += Math.max(0, sent - next);
        next = Math.max(next, sent);
    }

    long arrived() {
        return arrived;
    }

    /** Arrived twice, or after a later one. */
    long doubled() {
        return doubled;
    }

    long lost() {
        return lost;
    }

    boolean isClean() {
        return doubled == 0 && lost == 0;
    }
}
