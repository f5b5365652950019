package io.vhca.harness.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Ends scenarios that run for too long, whatever they are stuck in: what counts is the processor's time, so that a busy
 * machine makes none bad, and real time only for what uses none. Times are arguments: whoever watches the runs calls
 * {@link #look} from time to time. One thread.
 */
final class SpinGuard {
    /** So many times as long in real time, it is stuck without the processor's help. */
    static final int MOST_WAITS = 60;

    private final SimRunner runner;
    private final long mostNs;
    private final ToLongFunction<Thread> processorNs;
    private final Map<SimRunner.Attempt, Begin> since = new HashMap<>();

    private record Begin(long atNs, long usedNs) {}

    /** @param processorNs what a thread has had of the processor */
    SpinGuard(final SimRunner runner, final long mostNs, final ToLongFunction<Thread> processorNs) {
        this.runner = runner;
        this.mostNs = mostNs;
        this.processorNs = processorNs;
    }

    /** Looks what runs; what ran already so long is given up, and counts as bad. */
    void look(final long nowNs) {
        final Set<SimRunner.Attempt> running = new HashSet<>(runner.running());
        since.keySet().retainAll(running);
        for (final SimRunner.Attempt one : running) {
            final long usedNs = processorNs.applyAsLong(one.thread());
            final Begin begin = since.putIfAbsent(one, new Begin(nowNs, usedNs));
            if (begin != null && (usedNs - begin.usedNs >= mostNs || nowNs - begin.atNs >= MOST_WAITS * mostNs)) {
                runner.giveUp(one, mostNs);
            }
        }
    }
}
