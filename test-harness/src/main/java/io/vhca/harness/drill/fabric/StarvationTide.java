package io.vhca.harness.drill.fabric;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starves processes all the time, or comes and goes, a minute each, and takes more of their time each time. One thread.
 */
public final class StarvationTide implements AutoCloseable {
    private static final long TURN_NS = TimeUnit.MINUTES.toNanos(1);
    /** Of the whole, in the turns in which it comes. */
    private static final int[] DIVISORS = {5, 2, 1};

    private final int most;
    private final boolean comesAndGoes;
    private final List<ProcessHandle> processes;
    private @Nullable Starvation starvation;
    private int share = 1;

    /**
     * Nothing happens before {@link #onTime}.
     *
     * @param most the processes run for one part in so many of the time, at the worst
     */
    public StarvationTide(final int most, final boolean comesAndGoes, final List<ProcessHandle> processes) {
        this.most = most;
        this.comesAndGoes = comesAndGoes;
        this.processes = List.copyOf(processes);
    }

    /** One part in how many of the time they have so long after the beginning. */
    static int share(final int most, final boolean comesAndGoes, final long sinceNs) {
        if (!comesAndGoes) {
            return most;
        }
        final long turn = sinceNs / TURN_NS;
        return turn % 2 == 0 ? 1 : Math.max(2, most / DIVISORS[(int) (turn / 2 % DIVISORS.length)]);
    }

    /** So long ago it began. */
    public void onTime(final long sinceNs) {
        final int next = share(most, comesAndGoes, sinceNs);
        if (next != share) {
            close();
            share = next;
            starvation = next == 1 || processes.isEmpty() ? null : new Starvation(next, processes);
        }
    }

    /** The processes have all the time again. Idempotent. */
    @Override
    public void close() {
        final Starvation now = starvation;
        starvation = null;
        if (now != null) {
            now.close();
        }
    }
}
