package io.vhca.harness.sim.check;

import io.vhca.harness.sim.core.Violations;

/** Every work request finishes within a stated time after the last fault ended. */
public final class LivenessChecker {
    private final long boundNs;
    private final Violations violations;
    private long startNs;

    /** @param boundNs the time there is */
    public LivenessChecker(final long boundNs, final Violations violations) {
        this.boundNs = boundNs;
        this.violations = violations;
    }

    /** The last fault ended, or the run began without any left. */
    public void onHealed(final long nowNs) {
        startNs = nowNs;
    }

    /** When everything must be done, once {@link #onHealed} was called. */
    long deadlineNs() {
        return startNs + boundNs;
    }

    /** True when the time is over. */
    public boolean isLate(final long nowNs) {
        return nowNs - deadlineNs() >= 0;
    }

    /** @param unfinished what is not done yet, in words */
    public void report(final String where, final String unfinished) {
        violations.report(
                "everything finishes", where, boundNs / 1_000_000 + " ms after the last fault ended: " + unfinished);
    }
}
