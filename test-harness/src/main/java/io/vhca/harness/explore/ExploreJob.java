package io.vhca.harness.explore;

import java.io.PrintWriter;
import java.util.Locale;

/** Explores every {@link Space} for a person who watches. Blocks the caller; looks at the clock for what it shows. */
public final class ExploreJob {
    private final int depth;
    private final int threads;
    private final PrintWriter out;
    private final boolean isTerminal;

    /**
     * @param depth most steps from the first state of each space
     * @param isTerminal progress on one line that is written over; else none
     */
    public ExploreJob(final int depth, final int threads, final PrintWriter out, final boolean isTerminal) {
        this.depth = depth;
        this.threads = threads;
        this.out = out;
        this.isTerminal = isTerminal;
    }

    /** Runs. Returns 0 when the contract holds in every state, else 1, after the first space in which it does not. */
    public int run() throws InterruptedException {
        final long startNs = System.nanoTime();
        long states = 0;
        for (final Space space : Space.values()) {
            out.printf(Locale.ROOT, "%s: %s%n", space, space.bounds().describe());
            out.flush();
            final long spaceNs = System.nanoTime();
            final Explorer explorer = new Explorer(space.bounds(), PlantedLie.NONE, depth, threads);
            final Explorer.Result result = explorer.run(this::tell);
            states += result.states();
            out.printf(
                    Locale.ROOT, "%s  %,d states, %,d steps between them, %d ends; %s %d steps; %.1f s%n",
                    isTerminal ? "\r\u001b[K" : "", result.states(), result.steps(), result.ends(),
                    result.isWhole() ? "all of it, the farthest after" : "not all of it, as far as", result.deepest(),
                    (System.nanoTime() - spaceNs) / 1e9);
            if (!result.isGood()) {
                out.println(result.history());
                out.flush();
                return 1;
            }
            out.flush();
        }
        out.printf(
                Locale.ROOT, "%,d states in %.1f s: every contract held, and from each a good end was reached%n",
                states, (System.nanoTime() - startNs) / 1e9);
        out.flush();
        return 0;
    }

    private void tell(final String news) {
        if (isTerminal) {
            out.print("\r\u001b[K  " + news);
            out.flush();
        }
    }
}
