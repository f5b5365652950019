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
        assertThat(waiting.napNs(1, false, Long.MAX_VALUE)).isEqualTo(500_000);
    }

    @Test
    void sleepGrowsWhileNothingHappens() {
        final Waiting waiting = new Waiting(2);
        assertThat(waiting.napNs(300, false, Long.MAX_VALUE)).isEqualTo(500_000);
        assertThat(waiting.napNs(302, false, Long.MAX_VALUE)).isEqualTo(1_000_000);
        assertThat(waiting.napNs(Integer.MAX_VALUE, false, Long.MAX_VALUE)).isEqualTo(4_000_000);
    }

    @Test
    void whomEverythingWakesSleepsLongButNotPastItsTime() {
        final Waiting waiting = new Waiting(1);
        assertThat(waiting.napNs(1, true, Long.MAX_VALUE)).isEqualTo(100_000_000);
        assertThat(waiting.napNs(1, true, 7)).isEqualTo(7);
        assertThat(waiting.napNs(1, false, 7)).isEqualTo(7);
    }
}
