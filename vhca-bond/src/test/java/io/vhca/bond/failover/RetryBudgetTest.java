package io.vhca.bond.failover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryBudgetTest {
    @Test
    void aRequestIsTriedAgainAFewTimesAndALaterOneAnew() {
        final RetryBudget budget = new RetryBudget();
        for (int position = 0; position < 3; position++) {
            for (int i = 1; i < RetryBudget.MOST_TRIES; i++) {
                assertThat(budget.isWorthAnother(position)).isTrue();
            }
            assertThat(budget.isWorthAnother(position)).isFalse();
            assertThat(budget.isWorthAnother(position)).isFalse();
        }
    }

    @Test
    void anEarlierRequestCountsForTheLaterOne() {
        final RetryBudget budget = new RetryBudget();
        for (int i = 1; i < RetryBudget.MOST_TRIES; i++) {
            assertThat(budget.isWorthAnother(7)).isTrue();
        }
        assertThat(budget.isWorthAnother(6)).isFalse();
    }
}
