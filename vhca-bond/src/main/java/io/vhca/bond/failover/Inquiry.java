package io.vhca.bond.failover;

/** A question whether a path is dead on which requests do not complete; it is asked until it has a verdict. */
interface Inquiry {
    /** What is known so far. */
    enum Verdict {
        /** Answers are awaited. */
        OPEN,
        /** The path carries, or nothing can be said of it. */
        OVER,
        /** The path is dead. */
        DEAD
    }

    /** Judges what has been answered by now. Control lock. */
    Verdict look(long nowNs);

    /** When {@link #look} has something to do; {@link Long#MAX_VALUE} while answers are awaited. */
    long deadlineNs();
}
