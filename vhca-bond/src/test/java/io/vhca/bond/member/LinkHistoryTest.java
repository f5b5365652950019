package io.vhca.bond.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LinkHistoryTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long START = Long.MAX_VALUE - 5 * SECOND; // the clock may wrap

    private final LinkHistory history = new LinkHistory();

    @Test
    void aLinkThatWasNeverDownIsSteadyAtOnce() {
        assertThat(history.isSteady(SECOND, START)).isTrue();
        assertThat(history.failures()).isZero();
    }

    @Test
    void afterItsFirstFailureOnlyUpdelayCounts() {
        history.failed(START);
        history.cameUp(START + 1);
        assertThat(history.isSteady(SECOND, START + SECOND)).isFalse();
        assertThat(history.isSteady(SECOND, START + 1 + SECOND)).isTrue();
        assertThat(history.isSteady(0, START + 1)).isTrue();
    }

    @Test
    void eachFurtherFailureDoublesThePenaltyUpToItsMost() {
        long now = START;
        history.failed(now);
        assertThat(history.penaltyNs(now)).isZero();
        long expected = LinkHistory.LEAST_PENALTY_NS;
        for (int i = 0; i < 10; i++) {
            now += 2 * SECOND;
            history.failed(now);
            assertThat(history.penaltyNs(now)).isEqualTo(Math.min(expected, LinkHistory.MOST_PENALTY_NS));
            expected *= 2;
        }
        history.cameUp(now);
        assertThat(history.isSteady(0, now + LinkHistory.MOST_PENALTY_NS / 2 - 1)).isFalse();
        assertThat(history.failures()).isEqualTo(11);
    }

    @Test
    void anOperatorsWishEndsThePenaltyAndTheNextFailureBeginsOne() {
        for (int i = 0; i < 6; i++) {
            history.failed(START);
        }
        history.cameUp(START);
        assertThat(history.isSteady(0, START + SECOND)).isFalse();
        history.forgive();
        assertThat(history.isSteady(0, START)).isTrue();
        assertThat(history.isSteady(SECOND, START)).as("updelay is not the link's doing").isFalse();
        history.failed(START + SECOND);
        assertThat(history.penaltyNs(START + SECOND)).isEqualTo(SECOND);
        assertThat(history.failures()).isEqualTo(7);
    }

    @Test
    void thePenaltyHalvesWithEveryHalfLifeAndEnds() {
        for (int i = 0; i < 4; i++) {
            history.failed(START);
        }
        assertThat(history.penaltyNs(START)).isEqualTo(4 * SECOND);
        assertThat(history.penaltyNs(START + LinkHistory.HALF_LIFE_NS)).isEqualTo(2 * SECOND);
        assertThat(history.penaltyNs(START + 2 * LinkHistory.HALF_LIFE_NS)).isEqualTo(SECOND);
        assertThat(history.penaltyNs(START + 3 * LinkHistory.HALF_LIFE_NS)).isZero();
        assertThat(history.penaltyNs(START + 5_000 * LinkHistory.HALF_LIFE_NS)).isZero();
    }
}
