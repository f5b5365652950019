package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PauseBackoffTest {
    @Test
    void itLooksAtOnceAndThenAfterPausesThatDoubleUpToALimit() {
        final PauseBackoff backoff = new PauseBackoff(10, 35);
        long nowNs = Long.MAX_VALUE - 15;
        assertThat(backoff.isDue(nowNs)).isTrue();
        assertThat(backoff.nextLookNs(nowNs)).isEqualTo(nowNs);
        for (final long pauseNs : new long[] {10, 20, 35, 35}) {
            backoff.onLook(nowNs);
            assertThat(backoff.nextLookNs(nowNs)).isEqualTo(nowNs + pauseNs);
            assertThat(backoff.isDue(nowNs + pauseNs - 1)).isFalse();
            nowNs += pauseNs;
            assertThat(backoff.isDue(nowNs)).isTrue();
        }
        backoff.restart();
        assertThat(backoff.isDue(nowNs - 1_000)).isTrue();
    }
}
