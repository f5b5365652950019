package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.app.DatagramTraffic;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.scenario.DatagramQps;
import org.junit.jupiter.api.Test;

/** What the datagrams of a run are, as its history tells it. */
class DatagramTrafficTest {
    private static final int SEEDS = 80;
    /** Sent to somebody whom nothing has reached since the last fault: as many as it takes. */
    private static final int MOST_UNPROVEN = 60;

    @Test
    void theyAreManyAtFirstAndOneAtTimesLater() {
        final int most = DatagramQps.MOST * DatagramTraffic.MOST_AT_FIRST + DatagramTraffic.MOST_LATER + MOST_UNPROVEN;
        int seen = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            final RunResult run = SimRunner.record(seed, SimOptions.FULL, Recording.ALL);
            if (run.scenario().has(Damage.PROCESS)) {
                // Nothing reaches a dead peer, so nothing tells that it has had enough.
                continue;
            }
            for (final Side side : Side.BOTH) {
                final long posted = count(run, side.label() + " .* datagram \\d+ posted, .*");
                assertThat(posted).as("seed %d, %s", seed, side.label()).isLessThanOrEqualTo(most);
                seen += posted > 0 ? 1 : 0;
            }
        }
        assertThat(seen).as("sides that sent any").isGreaterThan(SEEDS / 4);
    }

    /** A receive that is flushed brought nothing. */
    @Test
    void noMoreArriveThanWereSent() {
        int runs = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            final RunResult run = SimRunner.record(seed, SimOptions.FULL, Recording.ALL);
            if (run.scenario().has(Effect.DATAGRAMS_MAY_DOUBLE)) {
                continue;
            }
            final long received = count(run, ".* datagram \\d+ received, .*");
            assertThat(received).as("seed %d", seed).isLessThanOrEqualTo(count(run, ".* datagram \\d+ posted, .*"));
            assertThat(run.uses(Feature.DATAGRAM)).isEqualTo((int) received);
            runs += received > 0 ? 1 : 0;
        }
        assertThat(runs).as("runs in which any arrived").isGreaterThan(SEEDS / 6);
    }

    private static long count(final RunResult run, final String event) {
        return run.history().lines().filter(line -> line.matches(".* us +" + event)).count();
    }
}
