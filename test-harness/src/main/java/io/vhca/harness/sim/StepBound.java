package io.vhca.harness.sim;

/**
 * Tells when a run stands still though it is busy: work without end at one instant of virtual time, or deadlines that
 * stay in the past, so that the time creeps. The simulation says what it does; the bound counts.
 */
final class StepBound {
    /** How often everybody may do something at one instant, and how many instants in a row may be overdue. */
    static final int MOST = 10_000;

    private int rounds;
    private int overdue;

    /** A new instant begins. */
    void onInstant() {
        rounds = 0;
    }

    /** Somebody did something at this instant; true when the next time is once too often. */
    boolean isLastRound() {
        return ++rounds > MOST;
    }

    /**
     * The time moves on.
     *
     * @return true when so many deadlines in a row were over when they were asked for that nobody will ever serve them
     */
    boolean isCreeping(final long nextNs, final long nowNs) {
        overdue = nextNs - nowNs > 0 ? 0 : overdue + 1;
        return overdue > MOST;
    }
}
