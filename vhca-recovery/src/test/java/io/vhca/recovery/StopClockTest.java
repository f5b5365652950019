package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A bound of 100 on a clock that is about to wrap. */
class StopClockTest {
    /** No constant, which a compiler would calculate with. */
    private static final long T0 = Long.valueOf(Long.MAX_VALUE - 150);

    private final StopClock clock = new StopClock();

    @Test
    void withoutABoundNothingIsEverDue() {
        clock.run(T0, 1);
        clock.run(T0 + 1, 0);
        clock.run(T0 + 2, 1);
        assertThat(clock.due(T0 + 1_000)).isFalse();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void runningItIsDueAfterItsBound() {
        clock.set(T0, 100);
        clock.run(T0 + 50, 1);
        assertThat(clock.due(T0 + 99)).isFalse();
        assertThat(clock.due(T0 + 100)).isTrue();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 100);
    }

    @Test
    void whileItStandsNothingCounts() {
        clock.set(T0, 100);
        clock.run(T0 + 60, 0);
        clock.run(T0 + 70, 0);
        assertThat(clock.due(T0 + 10_000)).isFalse();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        clock.run(T0 + 10_000, 1);
        assertThat(clock.due(T0 + 10_039)).isFalse();
        assertThat(clock.due(T0 + 10_040)).isTrue();
    }

    @Test
    void ofPartOfTheTimeOnePartInSoManyCounts() {
        clock.set(T0, 100);
        clock.run(T0 + 20, 8);
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 20 + 8 * 80);
        clock.run(T0 + 20 + 8 * 30, 1);
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 20 + 8 * 30 + 50);
        clock.run(T0 + 20 + 8 * 30 + 50, 0);
        clock.run(T0 + 5_000, 8);
        assertThat(clock.due(T0 + 5_000)).as("all is used up").isTrue();
    }

    @Test
    void clearedItIsNeverDueAndSetAnewItHasItsWholeBound() {
        clock.set(T0, 100);
        clock.clear();
        clock.run(T0 + 5, 1);
        assertThat(clock.due(T0 + 500)).isFalse();
        clock.set(T0 + 500, 100);
        assertThat(clock.due(T0 + 599)).isFalse();
        assertThat(clock.due(T0 + 600)).isTrue();
    }
}
