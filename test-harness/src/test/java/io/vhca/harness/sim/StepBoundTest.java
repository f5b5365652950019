package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A run that is busy and stands still is told from one that has much to do. */
class StepBoundTest {
    private final StepBound bound = new StepBound();

    @Test
    void workAtOneInstantHasAnEnd() {
        for (int round = 0; round < StepBound.MOST; round++) {
            assertThat(bound.isLastRound()).isFalse();
        }
        assertThat(bound.isLastRound()).isTrue();
        bound.onInstant();
        assertThat(bound.isLastRound()).as("at another instant").isFalse();
    }

    @Test
    void deadlinesThatStayInThePastAreFound() {
        long nowNs = Long.MAX_VALUE - 100;
        for (int step = 0; step < StepBound.MOST; step++) {
            assertThat(bound.isCreeping(nowNs - 5, nowNs)).isFalse();
            nowNs++;
        }
        assertThat(bound.isCreeping(nowNs - 5, nowNs)).isTrue();
    }

    @Test
    void oneThatIsServedLateIsNone() {
        for (int step = 0; step < 3 * StepBound.MOST; step++) {
            assertThat(bound.isCreeping(step - (step % 100 == 0 ? -1 : 1), step)).isFalse();
        }
    }
}
