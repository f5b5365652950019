package io.vhca.harness.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Ends scenarios that run for too long in real time, whatever they are stuck in. Time is an argument: whoever watches
 * the runs calls {@link #look} from time to time. One thread.
 */
final class SpinGuard {
    private final SimRunner runner;
    private final long mostNs;
    private final Map<SimRunner.Attempt, Long> since = new HashMap<>();

    SpinGuard(final SimRunner runner, final long mostNs) {
        this.runner = runner;
        this.mostNs = mostNs;
    }

    /** Looks what runs; what ran already so long ago is given up, and counts as bad. */
    void look(final long nowNs) {
        final Set<SimRunner.Attempt> running = new HashSet<>(runner.running());
        since.keySet().retainAll(running);
        for (final SimRunner.Attempt one : running) {
            final Long sinceNs = since.putIfAbsent(one, nowNs);
            if (sinceNs != null && nowNs - sinceNs >= mostNs) {
                runner.giveUp(one, mostNs);
            }
        }
    }
}
