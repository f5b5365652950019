package io.vhca.harness.sim;

import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.host.HostCounts;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Totals over many runs. Thread-safe by its monitor; one call a run. */
final class SimSummary {
    private final Map<String, Tally> faults = new LinkedHashMap<>();
    private final Map<Feature, Tally> features = new EnumMap<>(Feature.class);
    private HostCounts counts = HostCounts.NONE;
    private long runs;
    private long bad;
    private long faultless;
    private long operations;
    private long failed;
    private long packets;
    private long virtualNs;

    /** @param table the faults that are counted, in the order in which they are shown */
    SimSummary(final List<FaultKind> table) {
        table.forEach(kind -> faults.put(kind.label(), new Tally()));
        for (final Feature feature : Feature.values()) {
            features.put(feature, new Tally());
        }
    }

    /** How often something happened, and in how many scenarios. */
    private static final class Tally {
        private long times;
        private long scenarios;
    }

    synchronized void add(final RunResult result) {
        runs++;
        bad += result.isGood() ? 0 : 1;
        addFaults(result);
        features.forEach((feature, tally) -> {
            tally.times += result.uses(feature);
            tally.scenarios += result.uses(feature) > 0 ? 1 : 0;
        });
        faultless += result.faultsInjected() == 0 ? 1 : 0;
        counts = counts.plus(result.counts());
        operations += result.operations();
        failed += result.failed();
        packets += result.packets();
        virtualNs += result.virtualNs();
    }

    private void addFaults(final RunResult result) {
        final List<TimedFault> ofRun = result.scenario().faults();
        final Set<String> struck = new HashSet<>();
        for (int i = 0; i < ofRun.size(); i++) {
            if (result.hits()[i] > 0) {
                final String label = ofRun.get(i).fault().label();
                final Tally tally = faults.computeIfAbsent(label, unused -> new Tally());
                tally.times += result.hits()[i];
                tally.scenarios += struck.add(label) ? 1 : 0;
            }
        }
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
    synchronized long hits(final String label) {
        final Tally tally = faults.get(label);
        return tally == null ? 0 : tally.times;
    }

    /** How often something was used that not every run uses. */
    synchronized long uses(final Feature feature) {
        final Tally tally = features.get(feature);
        return tally == null ? 0 : tally.times;
    }

    /** One line for a terminal. */
    synchronized String line(final long wantedRuns, final double seconds) {
        return String.format(
                Locale.ROOT,
                "%d of %d seeds, %.0f/s, %d faults, %d failovers, %d completed by negotiation, %d replayed, %d bad",
                runs, wantedRuns, runs / Math.max(seconds, 1e-3),
                faults.values().stream().mapToLong(tally -> tally.times).sum(), counts.failovers(), counts.owed(),
                counts.replayed(), bad);
    }

    /** What was covered, as a table. */
    synchronized String table(final double seconds) {
        final StringBuilder text = new StringBuilder(2048);
        text.append(String.format(Locale.ROOT, "%-42s %12s %12s%n", "fault", "scenarios", "times"));
        faults.forEach((label, tally) -> row(text, label, tally));
        text.append(String.format(Locale.ROOT, "%-42s %12d%n", "(no fault struck in time)", faultless));
        text.append(String.format(Locale.ROOT, "%n%-42s %12s %12s%n", "used", "scenarios", "times"));
        features.forEach((feature, tally) -> row(text, feature.label(), tally));
        text.append(String.format(
                Locale.ROOT,
                "%nscenarios %d in %.1f s (%.0f a second), virtual time %.0f s, packets %d%n",
                runs, seconds, runs / Math.max(seconds, 1e-3), virtualNs / 1e9, packets));
        text.append(String.format(
                Locale.ROOT,
                "operations completed %d, failovers %d, over what stood by %d, completed by negotiation %d,"
                        + " replayed %d%n",
                operations, counts.failovers(), counts.overStandby(), counts.owed(), counts.replayed()));
        text.append(String.format(Locale.ROOT, "queue pair ends that failed by name, as they may: %d%n", failed));
        return text.toString();
    }

    private static void row(final StringBuilder text, final String label, final Tally tally) {
        text.append(String.format(Locale.ROOT, "%-42s %12d %12d%n", label, tally.scenarios, tally.times));
    }
}
