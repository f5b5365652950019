package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.kind.FaultTable;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Links that are paused (PFC) and nothing else: a short pause moves no queue pair, a long one fails none. */
class PausesTest {
    private static final int SEEDS = 150;

    private static SimOptions only(final String label) {
        final List<FaultKind> rows =
                FaultTable.ALL.stream().filter(row -> row.label().equals(label)).toList();
        assertThat(rows).hasSize(1);
        return new SimOptions(false, Mutation.NONE, rows, SimOptions.LONGEST_SECONDS);
    }

    private static SimRunner run(final SimOptions options) throws InterruptedException {
        final SimRunner runner = new SimRunner(options, 1, SEEDS, 2, 1);
        final List<RunResult> bad = Collections.synchronizedList(new ArrayList<>());
        runner.run(bad::add);
        assertThat(bad).withFailMessage(() -> SimReport.of(bad.getFirst(), options).text()).isEmpty();
        return runner;
    }

    private static long drawn(final SimOptions options, final Predicate<Scenario> rule) {
        return IntStream.rangeClosed(1, SEEDS)
                .filter(seed -> rule.test(SimRunner.draw(seed, options)))
                .count();
    }

    @Test
    void aShortPauseMovesNothing() throws InterruptedException {
        final SimOptions options = only("link paused shortly");
        assertThat(drawn(options, Scenario::mustNotMove)).as("in which nothing may move").isGreaterThan(SEEDS / 10);
        assertThat(run(options).summary().hits("link paused shortly")).isGreaterThan(SEEDS / 2);
    }

    @Test
    void aLongPauseFailsNoQueuePair() throws InterruptedException {
        final SimOptions options = only("link paused");
        assertThat(drawn(options, Scenario::mustSurvive)).as("in which no queue pair fails").isGreaterThan(SEEDS / 4);
        assertThat(run(options).summary().hits("link paused")).isGreaterThan(SEEDS / 2);
    }
}
