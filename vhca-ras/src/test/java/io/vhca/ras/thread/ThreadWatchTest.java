package io.vhca.ras.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadWatchTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void aThreadIsLookedAtFourTimesBeforeItIsToldOf() {
        assertThat(ThreadWatch.pauseNs(1_000 * MS)).isEqualTo(250 * MS);
        assertThat(ThreadWatch.pauseNs(MS)).as("without a rest").isEqualTo(MS);
    }

    /** The option may be a shorter one a moment later, and nobody wakes who waits. */
    @Test
    void itWaitsForASecondAtMost() {
        assertThat(ThreadWatch.pauseNs(TimeUnit.HOURS.toNanos(1))).isEqualTo(1_000 * MS);
        assertThat(ThreadWatch.pauseNs(0)).as("for never").isEqualTo(1_000 * MS);
    }
}
