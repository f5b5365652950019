package io.vhca.physical.soft.engine.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How far a window is cut, and how it grows again. */
class CongestionWindowTest {
    private static final int FULL = 64;
    private static final long PERIOD = CongestionWindow.PERIOD_NS;

    private final CongestionWindow window = new CongestionWindow();

    @Test
    void itIsHalvedOnceAPeriodAndNeverClosed() {
        window.start(FULL);
        assertThat(window.cut(0)).isEqualTo(32);
        assertThat(window.cut(PERIOD - 1)).as("told twice of one congestion").isEqualTo(32);
        assertThat(window.cut(PERIOD)).isEqualTo(16);
        for (int i = 2; i < 20; i++) {
            window.cut(i * PERIOD);
        }
        assertThat(window.cut(20 * PERIOD)).isEqualTo(1);
    }

    @Test
    void itGrowsHalfWayBackQuicklyAndThenBeyond() {
        window.start(FULL);
        window.cut(0);
        assertThat(window.recover(PERIOD - 1)).isEqualTo(32);
        assertThat(window.recover(PERIOD)).isEqualTo(48);
        assertThat(window.recover(2 * PERIOD)).isEqualTo(56);
        assertThat(window.recover(20 * PERIOD)).isEqualTo(FULL);
        assertThat(window.cut(21 * PERIOD)).as("alpha has shrunk meanwhile").isGreaterThan(32).isLessThan(FULL);
    }

    @Test
    void aStepOfTheRecoveryPutsNoCutOff() {
        window.start(FULL);
        window.cut(0);
        assertThat(window.recover(PERIOD)).isEqualTo(48);
        assertThat(window.cut(PERIOD)).isLessThan(48);
    }

    @Test
    void aLongIdleTimeCostsNoMoreThanItsRecovery() {
        window.start(1_000);
        for (int i = 0; i < 50; i++) {
            window.cut(i * PERIOD);
        }
        assertThat(window.recover(Long.MAX_VALUE)).isEqualTo(1_000);
    }

    @Test
    void timeMayWrapAround() {
        window.start(FULL);
        window.cut(Long.MAX_VALUE - 10);
        assertThat(window.recover(Long.MIN_VALUE)).isEqualTo(32);
        assertThat(window.recover(Long.MIN_VALUE + (PERIOD - 11))).isEqualTo(48);
    }
}
