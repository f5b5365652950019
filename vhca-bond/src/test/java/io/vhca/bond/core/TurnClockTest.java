package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A clock that counts 10 of the time between two turns at most; the other one is about to wrap. */
class TurnClockTest {
    /** No constant, which a compiler would calculate with. */
    private static final long T0 = Long.valueOf(Long.MAX_VALUE - 15);

    private final TurnClock clock = new TurnClock(10);

    @Test
    void turnsThatComeInTimeCountInFull() {
        assertThat(clock.turn(T0)).isEqualTo(T0);
        assertThat(clock.turn(T0 + 4)).isEqualTo(T0 + 4);
        assertThat(clock.turn(T0 + 14)).isEqualTo(T0 + 14);
        assertThat(clock.turn(T0 + 24)).isEqualTo(T0 + 24);
        assertThat(clock.lateNs()).isZero();
    }

    @Test
    void ofALateTurnSoMuchCounts() {
        clock.turn(T0);
        assertThat(clock.turn(T0 + 1_000_000)).isEqualTo(T0 + 10);
        assertThat(clock.nowNs()).isEqualTo(T0 + 10);
        assertThat(clock.lateNs()).isEqualTo(999_990);
        assertThat(clock.turn(T0 + 1_000_003)).isEqualTo(T0 + 13);
    }

    @Test
    void itNeverGoesBack() {
        clock.turn(T0);
        clock.turn(T0 + 8);
        assertThat(clock.turn(T0 + 5)).as("who drives it read the time before the last turn").isEqualTo(T0 + 8);
        assertThat(clock.turn(T0 + 9)).isEqualTo(T0 + 9);
    }

    @Test
    void aTurnIsDueAtTheDeadlineAndOftenEnoughThatNoneIsLate() {
        clock.turn(T0);
        clock.turn(T0 + 1_000);
        assertThat(clock.realOf(clock.nowNs() + 3)).isEqualTo(T0 + 1_003);
        assertThat(clock.realOf(clock.nowNs())).isEqualTo(T0 + 1_000);
        assertThat(clock.realOf(clock.nowNs() + 500)).isEqualTo(T0 + 1_010);
        assertThat(clock.realOf(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aPointIsNeverTakenForNever() {
        clock.turn(T0);
        clock.turn(T0 + 12);
        assertThat(clock.lateNs()).isEqualTo(2);
        assertThat(clock.realOf(T0 + 13)).as("two later would be the value that means never").isEqualTo(T0 + 14);
    }
}
