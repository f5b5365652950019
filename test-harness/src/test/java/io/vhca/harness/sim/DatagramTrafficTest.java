package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.app.DatagramTraffic;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.scenario.DatagramQps;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the datagrams of a run are, as its history tells it. */
class DatagramTrafficTest {
    private static final int SEEDS = 80;
    /** Sent to somebody whom nothing has reached since the last fault: as many as it takes. */
    private static final int MOST_UNPROVEN = 60;

    private static final PerSide<Pattern> POSTED_BY =
            PerSide.each(side -> Pattern.compile(" us +" + side.label() + " .* datagram \\d+ posted, "));
    private static final Pattern POSTED = Pattern.compile(" datagram \\d+ posted, ");
    private static final Pattern RECEIVED = Pattern.compile(" datagram \\d+ received, ");

    private static int count(final RunResult run, final Pattern event) {
        return Math.toIntExact(event.matcher(run.history()).results().count());
    }

    /** They are many at first and one at times later, and no more arrive than were sent. */
    @Test
    void theyAreAsManyAsIsSaid() {
        int sides = 0;
        int runs = 0;
        try (WorkerMemory memory = new WorkerMemory()) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                final RunResult run = SimRunner.run(seed, SimOptions.FULL, Recording.ALL, memory);
                sides += run.scenario().has(Damage.PROCESS) ? 0 : sidesThatPosted(run);
                runs += run.scenario().has(Effect.DATAGRAMS_MAY_DOUBLE) ? 0 : haveArrived(run);
            }
        }
        assertThat(sides).as("sides that sent any").isGreaterThan(SEEDS / 4);
        assertThat(runs).as("runs in which any arrived").isGreaterThan(SEEDS / 6);
    }

    /** Not of a peer that dies: nothing reaches it, so nothing tells that it has had enough. */
    private static int sidesThatPosted(final RunResult run) {
        final int most = DatagramQps.MOST * DatagramTraffic.MOST_AT_FIRST + DatagramTraffic.MOST_LATER + MOST_UNPROVEN;
        int sides = 0;
        for (final Side side : Side.BOTH) {
            final int posted = count(run, POSTED_BY.of(side));
            assertThat(posted)
                    .as("seed %d, %s", run.scenario().seed(), side.label())
                    .isLessThanOrEqualTo(most);
            sides += posted > 0 ? 1 : 0;
        }
        return sides;
    }

    /** A receive that is flushed brought nothing. */
    private static int haveArrived(final RunResult run) {
        final int received = count(run, RECEIVED);
        assertThat(received).as("seed %d", run.scenario().seed()).isLessThanOrEqualTo(count(run, POSTED));
        assertThat(run.uses(Feature.DATAGRAM)).isEqualTo(received);
        return received > 0 ? 1 : 0;
    }
}
