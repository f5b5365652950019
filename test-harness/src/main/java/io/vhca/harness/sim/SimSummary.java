package io.vhca.harness.sim;

import java.util.Locale;

/** Totals over many runs. Thread-safe by its monitor; one call a run. */
final class SimSummary {
    private final long[] hits = new long[FaultKind.values().length];
    private final long[] scenarios = new long[FaultKind.values().length];
    private final long[] features = new long[Feature.values().length];
    private final long[] users = new long[Feature.values().length];
    private HostCounts counts = HostCounts.NONE;
    private long runs;
    private long bad;
    private long faults;
    private long faultless;
    private long operations;
    private long failed;
    private long packets;
    private long virtualNs;

    synchronized void add(final RunResult result) {
        runs++;
        bad += result.isGood() ? 0 : 1;
        final int[] ofRun = result.hits();
        for (int i = 0; i < hits.length; i++) {
            hits[i] += ofRun[i];
            scenarios[i] += ofRun[i] > 0 ? 1 : 0;
        }
        for (int i = 0; i < features.length; i++) {
            features[i] += result.features()[i];
            users[i] += result.features()[i] > 0 ? 1 : 0;
        }
        faults += result.faultsInjected();
        faultless += result.faultsInjected() == 0 ? 1 : 0;
        counts = counts.plus(result.counts());
        operations += result.operations();
        failed += result.failed();
        packets += result.packets();
        virtualNs += result.virtualNs();
    }

    synchronized long runs() {
        return runs;
    }

    synchronized long bad() {
        return bad;
    }

    /** Runs in which no fault came to strike, because the work was done before. */
    synchronized long faultless() {
        return faultless;
    }

    synchronized HostCounts counts() {
        return counts;
    }

    /** How often a kind of fault struck. */
    synchronized long hits(final FaultKind kind) {
        return hits[kind.ordinal()];
    }

    /** How often something was used that not every run uses. */
    synchronized long uses(final Feature feature) {
        return features[feature.ordinal()];
    }

    /** One line for a terminal. */
    synchronized String line(final long wantedRuns, final double seconds) {
        return String.format(
                Locale.ROOT,
                "%d of %d seeds, %.0f/s, %d faults, %d failovers, %d completed by negotiation, %d replayed, %d bad",
                runs, wantedRuns, runs / Math.max(seconds, 1e-3), faults, counts.failovers(), counts.owed(),
                counts.replayed(), bad);
    }

    /** What was covered, as a table. */
    synchronized String table(final double seconds) {
        final StringBuilder text = new StringBuilder(2048);
        text.append(String.format(Locale.ROOT, "%-42s %12s %12s%n", "fault", "scenarios", "times"));
        for (final FaultKind kind : FaultKind.values()) {
            text.append(String.format(Locale.ROOT, "%-42s %12d %12d%n", kind.label(), scenarios[kind.ordinal()],
                    hits[kind.ordinal()]));
        }
        text.append(String.format(Locale.ROOT, "%-42s %12d%n", "(no fault struck in time)", faultless));
        text.append(String.format(Locale.ROOT, "%n%-42s %12s %12s%n", "used", "scenarios", "times"));
        for (final Feature feature : Feature.values()) {
            text.append(String.format(Locale.ROOT, "%-42s %12d %12d%n", feature.label(), users[feature.ordinal()],
                    features[feature.ordinal()]));
        }
        text.append(String.format(
                Locale.ROOT,
                "%nscenarios %d in %.1f s (%.0f a second), virtual time %.0f s, packets %d%n",
                runs, seconds, runs / Math.max(seconds, 1e-3), virtualNs / 1e9, packets));
        text.append(String.format(
                Locale.ROOT,
                "operations completed %d, failovers %d, completed by negotiation %d, replayed %d%n",
                operations, counts.failovers(), counts.owed(), counts.replayed()));
        text.append(String.format(Locale.ROOT, "queue pair ends that failed by name, as they may: %d%n", failed));
        return text.toString();
    }
}
