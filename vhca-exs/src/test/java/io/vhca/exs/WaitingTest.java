package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Turns without work: at once, then after others, then asleep. */
class WaitingTest {
    @Test
    void whoHasAProcessorToItselfSpinsFirst() {
        final Waiting waiting = new Waiting(2);
        assertThat(waiting.spins(199)).isTrue();
        assertThat(waiting.spins(200)).isFalse();
        assertThat(waiting.yields(299)).isTrue();
        assertThat(waiting.yields(300)).isFalse();
    }

    @Test
    void theOnlyProcessorIsGivenAwayAtOnce() {
        final Waiting waiting = new Waiting(1);
        assertThat(waiting.spins(0)).isFalse();
        assertThat(waiting.yields(0)).isFalse();
        assertThat(waiting.napNs(1)).isEqualTo(500_000);
    }

    @Test
    void sleepGrowsWhileNothingHappens() {
        final Waiting waiting = new Waiting(2);
        assertThat(waiting.napNs(300)).isEqualTo(500_000);
        assertThat(waiting.napNs(302)).isEqualTo(1_000_000);
        assertThat(waiting.napNs(Integer.MAX_VALUE)).isEqualTo(4_000_000);
    }
}
