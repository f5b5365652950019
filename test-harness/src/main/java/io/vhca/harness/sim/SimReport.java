package io.vhca.harness.sim;

import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.scenario.Scenario;

/**
 * A bad run in words.
 *
 * @param text seed, configuration, what was broken, and how a smaller run that is bad too ended
 * @param history the whole history of that one
 */
record SimReport(String text, String history) {
    private static final int MOST_LINES = 400;

    /** A bad seed in one line. */
    static String line(final RunResult bad) {
        return "BAD SEED " + bad.scenario().seed() + ": " + bad.violations().getFirst();
    }

    /** Of a bad seed; runs it again several times. */
    static SimReport of(final RunResult bad, final SimOptions options) {
        try (WorkerMemory memory = new WorkerMemory()) {
            return of(bad, options, memory);
        }
    }

    private static StringBuilder head(final RunResult bad, final SimOptions options) {
        final long seed = bad.scenario().seed();
        final StringBuilder text = new StringBuilder(64 * 1024);
        text.append("BAD SEED ").append(seed).append('\n').append(bad.scenario().describe());
        bad.violations().forEach(violation -> text.append("  violated: ").append(violation).append('\n'));
        return text.append("again with: vhca sim --seeds 1 --seed ").append(seed)
                .append(options.isSoftOnly() ? " --only-soft" : "")
                .append('\n');
    }

    private static SimReport of(final RunResult bad, final SimOptions options, final WorkerMemory memory) {
        final StringBuilder text = head(bad, options);
        if (bad.isSpinning()) {
            // Nobody would end it again.
            return new SimReport(text.toString(), "");
        }
        final Scenario small = Shrinker.shrink(bad.scenario(), candidate ->
                !SimRunner.run(candidate, options.mutation(), Recording.NONE, memory).isGood());
        RunResult shown;
        try {
            final boolean isOfDatagrams =
                    bad.violations().stream().anyMatch(violation -> violation.contains("datagram"));
            shown = SimRunner.run(
                    small, options.mutation(), isOfDatagrams ? Recording.ALL : Recording.WITHOUT_DATAGRAMS, memory);
        } catch (final RuntimeException | Error e) {
            shown = RunResult.crashed(small, e);
        }
        text.append("\nsmaller, and still bad: ").append(shown.scenario().describe());
        shown.violations().forEach(violation -> text.append("  violated: ").append(violation).append('\n'));
        text.append("history:\n");
        final String[] lines = shown.history().split("\n");
        final int from = Math.max(0, lines.length - MOST_LINES);
        if (from > 0) {
            text.append("  ... ").append(from).append(" lines before; --history FILE has them all\n");
        }
        for (int i = from; i < lines.length; i++) {
            text.append(lines[i]).append('\n');
        }
        return new SimReport(text.toString(), shown.history());
    }
}
