package io.vhca.harness.sim;

import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.host.HostCounts;
import io.vhca.harness.sim.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/**
 * What came of one scenario.
 *
 * @param violations  what the checkers found; empty when the contract held
 * @param historyHash the same for the same seed, always
 * @param history     in words, empty unless asked for
 * @param hits        how often each fault of the scenario struck, in their order
 * @param features    how often what not every run uses was used, by ordinal of {@link Feature}
 * @param operations  operations that completed with success
 * @param failed      queue pair ends that failed by name, as they may in this scenario
 * @param packets     packets that entered the fabric
 * @param virtualNs   virtual time that passed
 */
record RunResult(
        Scenario scenario,
        List<String> violations,
        long historyHash,
        String history,
        int[] hits,
        int[] features,
        HostCounts counts,
        long operations,
        int failed,
        int packets,
        long virtualNs) {
    private static final String SPINS = "a run ends: all: after ";

    /** A run that ended in an exception, which is never right. */
    static RunResult crashed(final Scenario scenario, final Throwable cause) {
        final StringWriter trace = new StringWriter();
        cause.printStackTrace(new PrintWriter(trace));
        return new RunResult(
                scenario, List.of("no exception: " + trace), 0, "", new int[scenario.faults().size()],
                new int[Feature.values().length], HostCounts.NONE, 0, 0, 0, 0);
    }

    /** A run that was given up because it did not end. */
    static RunResult spinning(final Scenario scenario, final long afterNs, final StackTraceElement[] at) {
        final StringBuilder text = new StringBuilder(256);
        text.append(SPINS).append(afterNs / 1_000_000_000).append(" s of a processor's time it ran still, in");
        for (final StackTraceElement frame : at) {
            text.append("\n\tat ").append(frame);
        }
        return new RunResult(
                scenario, List.of(text.toString()), 0, "", new int[scenario.faults().size()],
                new int[Feature.values().length], HostCounts.NONE, 0, 0, 0, 0);
    }

    /** True when it was given up: it cannot be run again for a report. */
    boolean isSpinning() {
        return !isGood() && violations.getFirst().startsWith(SPINS);
    }

    boolean isGood() {
        return violations.isEmpty();
    }

    /** How often something was used. */
    int uses(final Feature feature) {
        return features[feature.ordinal()];
    }

    /** How often faults struck. */
    int faultsInjected() {
        int all = 0;
        for (final int hit : hits) {
            all += hit;
        }
        return all;
    }
}
