package io.vhca.bond.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.verbs.QpTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long queue pairs that the monitor is lent, as those for datagrams are, may be silent. Time is an argument. */
class SilenceOfOthersTest {
    private static final long MS = 1_000_000L;
    private static final long BOUND_NS = 100 * MS;
    private static final long STEP_NS = 5 * MS;

    private final CompletionWatchdog watchdog = new CompletionWatchdog(BOUND_NS);
    private final List<Long> barkedAtNs = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 200 * MS;
    private final long startNs = nowNs;
    private long oldest = 7;

    private SilenceMonitor monitor(final long heartbeatNs, final long watchdogNs) {
        final SilenceMonitor monitor = new SilenceMonitor(
                BondConfig.builder("bond0").heartbeatNs(heartbeatNs).watchdogNs(watchdogNs).build(), new QpTable());
        monitor.add(watchedNs -> {
            if (watchdog.isSilent(oldest, watchedNs)) {
                watchdog.barked();
                barkedAtNs.add(nowNs - startNs);
            }
        });
        return monitor;
    }

    private void run(final SilenceMonitor monitor, final long durationNs) {
        for (final long endNs = nowNs + durationNs; nowNs - endNs < 0; nowNs += STEP_NS) {
            monitor.doWork(nowNs);
        }
    }

    @Test
    void hardwareThatCompletesNothingIsFoundWithinTheBoundAndAFewLooks() {
        run(monitor(0, BOUND_NS), 2 * BOUND_NS);
        assertThat(barkedAtNs).isNotEmpty();
        assertThat(barkedAtNs.getFirst()).isBetween(BOUND_NS, BOUND_NS + BOUND_NS / 2);
    }

    @Test
    void aPauseOfTheOwnProcessIsNoSilence() {
        final SilenceMonitor monitor = monitor(0, BOUND_NS);
        run(monitor, BOUND_NS / 4 + STEP_NS);
        nowNs += 100 * BOUND_NS;
        run(monitor, BOUND_NS / 4);
        assertThat(barkedAtNs).as("what nobody watched was not silent").isEmpty();
        run(monitor, BOUND_NS);
        assertThat(barkedAtNs).as("but what goes on is").hasSize(1);
    }

    @Test
    void progressIsNoSilence() {
        final SilenceMonitor monitor = monitor(0, BOUND_NS);
        for (int i = 0; i < 20; i++) {
            run(monitor, BOUND_NS / 2);
            oldest++;
        }
        assertThat(barkedAtNs).isEmpty();
    }
}
