package io.vhca.harness.drill.child;

/**
 * Judges the sequence numbers that arrive: exactly once and in order means 0, 1, 2 ... Pure.
 *
 * <p>A number below the next expected one counts as doubled, one above it as a gap that loses those in between.
 */
public final class ArrivalCheck {
    private long next;
    private long arrived;
    private long doubled;
    private long lost;

    public void on(final long sequence) {
        arrived++;
        if (sequence < next) {
            doubled++;
        } else {
            lost += sequence - next;
            next = sequence + 1;
        }
    }

    /** The sender says how many there were. */
    public void end(final long sent) {
        lost += Math.max(0, sent - next);
        next = Math.max(next, sent);
    }

    public long arrived() {
        return arrived;
    }

    /** Arrived twice, or after a later one. */
    public long doubled() {
        return doubled;
    }

    public long lost() {
        return lost;
    }

    public boolean isClean() {
        return doubled == 0 && lost == 0;
    }
}
