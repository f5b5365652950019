package io.vhca.harness.drill.child;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Only what is under way can be out. */
class OutageClockTest {
    private final OutageClock clock = new OutageClock();

    @Test
    void timeWithNothingUnderWayIsNoOutage() {
        clock.begin(1_000);
        clock.progress(1_010, false);
        clock.begin(9_000);
        clock.progress(9_030, false);
        assertThat(clock.longestNs()).isEqualTo(30);
    }

    @Test
    void theTimeBetweenTwoThatComeCountsWhileMoreIsUnderWay() {
        clock.begin(0);
        clock.begin(50);
        clock.progress(60, true);
        clock.begin(100);
        clock.progress(400, true);
        clock.progress(410, false);
        assertThat(clock.longestNs()).isEqualTo(340);
    }

    @Test
    void whatComesUnaskedBeginsNothing() {
        clock.progress(5_000, false);
        assertThat(clock.longestNs()).isZero();
    }
}
