package io.vhca.harness.drill.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rhythm in which a process is stopped and goes on, with nobody really stopped. */
class StarvationTest {
    private static final long PID = 4_711;

    private final List<String> sent = new ArrayList<>();
    private boolean isGone;

    private Starvation.Cycle cycle(final int share) {
        return new Starvation.Cycle(PID, share, new SplittableRandom(3), pid -> send("stop " + pid),
                pid -> send("go on " + pid));
    }

    private boolean send(final String signal) {
        sent.add(signal);
        return !isGone;
    }

    @Test
    void itRunsForOnePartInSoManyOfTheTime() {
        final Starvation.Cycle cycle = cycle(10);
        long stoppedNs = 0;
        long awakeNs = 0;
        for (int i = 0; i < 1_000; i++) {
            final long stopNs = cycle.step();
            final long runNs = cycle.step();
            assertThat(stopNs + runNs).isBetween(Starvation.LEAST_PERIOD_NS, Starvation.MOST_PERIOD_NS);
            stoppedNs += stopNs;
            awakeNs += runNs;
        }
        assertThat((double) awakeNs / (awakeNs + stoppedNs)).isBetween(0.0999, 0.1001);
        assertThat(sent.subList(0, 4))
                .containsExactly("stop 4711", "go on 4711", "stop 4711", "go on 4711");
    }

    @Test
    void whoeverEndsItLetsTheProcessGoOnAndNothingStopsItAgain() {
        final Starvation.Cycle cycle = cycle(2);
        cycle.step();
        cycle.end();
        cycle.end();
        assertThat(cycle.step()).isZero();
        assertThat(sent).containsExactly("stop 4711", "go on 4711");
    }

    @Test
    void aProcessThatRunsIsLeftAlone() {
        final Starvation.Cycle cycle = cycle(2);
        cycle.step();
        cycle.step();
        cycle.end();
        assertThat(sent).containsExactly("stop 4711", "go on 4711");
    }

    @Test
    void aProcessThatIsGoneNeedsNoMoreSignals() {
        final Starvation.Cycle cycle = cycle(2);
        isGone = true;
        assertThat(cycle.step()).isZero();
    }

    @Test
    void aShareThatIsNoneIsRefused() {
        assertThatThrownBy(() -> new Starvation(0, List.of())).hasMessageContaining("allowed is 1 to 50");
        assertThatThrownBy(() -> new Starvation(51, List.of())).hasMessageContaining("one in 51");
        new Starvation(1, List.of(ProcessHandle.current())).close();
    }
}
