package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final long[] NOWS = {0, 1, -5, Long.MAX_VALUE - 3, Long.MIN_VALUE, Long.MAX_VALUE};

    @Test
    void isDueFromItsTimeOnUntilItIsCleared() {
        for (final long nowNs : NOWS) {
            final Deadline deadline = new Deadline();
            assertThat(deadline.due(nowNs)).isFalse();
            deadline.set(nowNs, 10);
            assertThat(deadline.due(nowNs + 8)).as("set at %d", nowNs).isFalse();
            assertThat(deadline.due(nowNs + 10)).as("set at %d", nowNs).isTrue();
            assertThat(deadline.due(nowNs + 11)).isTrue();
            deadline.clear();
            assertThat(deadline.due(nowNs + 11)).isFalse();
        }
    }

    @Test
    void isOnlyEverMadeSooner() {
        for (final long nowNs : NOWS) {
            final Deadline deadline = new Deadline();
            deadline.atMost(nowNs, 20);
            deadline.atMost(nowNs, 30);
            assertThat(deadline.due(nowNs + 20)).isTrue();
            deadline.atMost(nowNs, 4);
            assertThat(deadline.due(nowNs + 2)).isFalse();
            assertThat(deadline.due(nowNs + 4)).isTrue();
        }
    }

    @Test
    void theEarlierOfTwoIsTheOneThatComesFirstWhereverTheClockWraps() {
        for (final long nowNs : NOWS) {
            final Deadline first = new Deadline();
            final Deadline second = new Deadline();
            assertThat(first.earlier(second.earlier(Long.MAX_VALUE))).as("none").isEqualTo(Long.MAX_VALUE);
            second.set(nowNs, 9);
            final long alone = first.earlier(second.earlier(Long.MAX_VALUE));
            assertThat(alone).isEqualTo(second.earlier(first.earlier(Long.MAX_VALUE))).isNotEqualTo(Long.MAX_VALUE);
            first.set(nowNs, 5);
            final long both = first.earlier(second.earlier(Long.MAX_VALUE));
            assertThat(both).isEqualTo(second.earlier(first.earlier(Long.MAX_VALUE)));
            assertThat(both - alone).isNegative();
        }
    }
}
