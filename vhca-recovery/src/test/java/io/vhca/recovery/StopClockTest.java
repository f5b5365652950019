package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A bound of 100 on a clock that is about to wrap. */
class StopClockTest {
    private static final long T0 = Long.MAX_VALUE - 150;

    private final StopClock clock = new StopClock();

    @Test
    void withoutABoundNothingIsEverDue() {
        clock.run(T0);
        clock.stop(T0 + 1);
        clock.run(T0 + 2);
        assertThat(clock.due(T0 + 1_000)).isFalse();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void runningItIsDueAfterItsBound() {
        clock.set(T0, 100);
        clock.run(T0 + 50);
        assertThat(clock.due(T0 + 99)).isFalse();
        assertThat(clock.due(T0 + 100)).isTrue();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 100);
    }

    @Test
    void whileItStandsNothingCounts() {
        clock.set(T0, 100);
        clock.stop(T0 + 60);
        clock.stop(T0 + 70);
        assertThat(clock.due(T0 + 10_000)).isFalse();
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        clock.run(T0 + 10_000);
        assertThat(clock.due(T0 + 10_039)).isFalse();
        assertThat(clock.due(T0 + 10_040)).isTrue();
    }

    @Test
    void whatIsChargedCountsWhetherItRunsOrStands() {
        clock.set(T0, 100);
        clock.charge(T0 + 10, 30);
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 70);
        clock.stop(T0 + 20);
        clock.charge(T0 + 500, 40);
        assertThat(clock.due(T0 + 600)).as("it stands still").isFalse();
        clock.run(T0 + 600);
        assertThat(clock.earlier(Long.MAX_VALUE)).isEqualTo(T0 + 610);
        clock.stop(T0 + 600);
        clock.charge(T0 + 700, 1_000);
        assertThat(clock.due(T0 + 700)).as("all is used up").isTrue();
    }

    @Test
    void clearedItIsNeverDueAndSetAnewItHasItsWholeBound() {
        clock.set(T0, 100);
        clock.clear();
        clock.run(T0 + 5);
        assertThat(clock.due(T0 + 500)).isFalse();
        clock.set(T0 + 500, 100);
        assertThat(clock.due(T0 + 599)).isFalse();
        assertThat(clock.due(T0 + 600)).isTrue();
    }
}
