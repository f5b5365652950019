package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.kind.FaultTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bonds that are attacked and nothing else: no queue pair may move, and everything arrives once. */
class StrangersTest {
    private static final int SEEDS = 300;
    private static final List<String> ATTACKS = List.of(
            "requests that a stranger forged", "messages that a spoofer forged", "messages that were replayed");

    @Test
    void strangersSpoofersAndReplaysMoveNothing() throws InterruptedException {
        final List<FaultKind> rows = FaultTable.ALL.stream()
                .filter(row -> ATTACKS.contains(row.label()))
                .toList();
        assertThat(rows).hasSameSizeAs(ATTACKS);
        final SimOptions options = new SimOptions(false, Mutation.NONE, rows, SimOptions.LONGEST_SECONDS);
        assertThat(IntStream.rangeClosed(1, SEEDS)
                        .filter(seed -> SimRunner.draw(seed, options).mustNotMove())
                        .count())
                .as("scenarios in which nothing may move")
                .isGreaterThan(SEEDS / 10);
        final SimRunner runner = new SimRunner(options, 1, SEEDS, 2, 1);
        final List<RunResult> bad = Collections.synchronizedList(new ArrayList<>());
        runner.run(bad::add);
        assertThat(bad).withFailMessage(() -> SimReport.of(bad.getFirst(), options).text()).isEmpty();
        for (final Feature feature : List.of(Feature.FORGED, Feature.REPLAYED, Feature.MIXED)) {
            assertThat(runner.summary().uses(feature)).as(feature.label()).isGreaterThan(SEEDS / 10);
        }
    }
}
