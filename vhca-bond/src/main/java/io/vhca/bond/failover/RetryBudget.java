package io.vhca.bond.failover;

/**
 * Failures of sends of which nobody can tell whether the path or the request is to blame. A request is tried again over
 * a new path a few times; one that fails so every time is broken itself. Inside the send CQ's gate.
 */
public final class RetryBudget {
    /** More than there are members in most bonds: each gets its chance. */
    public static final int MOST_TRIES = 4;

    private long last = -1;
    private int tries;

    /**
     * Notes one more such failure; true when the request shall be tried again.
     *
     * @param position the request's place in its queue; later ones have higher ones
     */
    public boolean isWorthAnother(final long position) {
        if (position > last) {
            last = position;
            tries = 0;
        }
        return ++tries < MOST_TRIES;
    }
}
