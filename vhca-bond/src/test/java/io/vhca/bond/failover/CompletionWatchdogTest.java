package io.vhca.bond.failover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompletionWatchdogTest {
    private static final long BOUND_NS = 100;
    private static final long START_NS = Long.valueOf(Long.MAX_VALUE - 150);

    private final CompletionWatchdog watchdog = new CompletionWatchdog(BOUND_NS);

    @Test
    void nothingAwaitedIsNeverSilence() {
        for (long nowNs = START_NS; nowNs - START_NS < 10_000; nowNs += 50) {
            assertThat(watchdog.isSilent(CompletionWatchdog.IDLE, nowNs)).isFalse();
        }
    }

    @Test
    void theSameRequestAwaitedForTheBoundIsSilenceAlsoAcrossTheWrapOfTheClock() {
        assertThat(watchdog.isSilent(0, START_NS)).isFalse();
        assertThat(watchdog.isSilent(0, START_NS + BOUND_NS - 1)).isFalse();
        assertThat(watchdog.isSilent(0, START_NS + BOUND_NS)).isTrue();
        final CompletionWatchdog other = new CompletionWatchdog(2 * BOUND_NS);
        assertThat(other.isSilent(0, START_NS)).isFalse();
        assertThat(other.isSilent(0, START_NS + 2 * BOUND_NS)).isTrue();
    }

    @Test
    void progressStartsTheTimeAgain() {
        for (long sequence = 0; sequence < 50; sequence++) {
            assertThat(watchdog.isSilent(sequence, START_NS + sequence * BOUND_NS)).isFalse();
            assertThat(watchdog.isSilent(sequence, START_NS + sequence * BOUND_NS + BOUND_NS - 1)).isFalse();
        }
    }

    @Test
    void whoIsStillSilentAfterItsRecoveryIsGivenTwiceTheTimeUpToALimit() {
        long nowNs = START_NS;
        long bound = BOUND_NS;
        for (int bark = 0; bark < 10; bark++) {
            // A recovery takes its time, which does not count.
            watchdog.pause();
            nowNs += 12_345;
            assertThat(watchdog.isSilent(7, nowNs)).isFalse();
            assertThat(watchdog.isSilent(7, nowNs + bound - 1)).as("bark %d", bark).isFalse();
            assertThat(watchdog.isSilent(7, nowNs + bound)).as("bark %d", bark).isTrue();
            watchdog.barked();
            nowNs += bound;
            bound = Math.min(2 * bound, 64 * BOUND_NS);
        }
        assertThat(watchdog.isSilent(8, nowNs)).as("progress").isFalse();
        assertThat(watchdog.isSilent(8, nowNs + BOUND_NS)).isTrue();
    }
}
