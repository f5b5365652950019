package io.vhca.ras.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The clock may wrap meanwhile. */
class GracePeriodTest {
    @Test
    void theNextOneBeginsWhenTheLastIsOver() {
        final GracePeriod grace = new GracePeriod();
        final long now = Long.sum(Long.MAX_VALUE, -50);
        assertThat(grace.begin(now, 100)).isTrue();
        assertThat(grace.begin(now, 100)).isFalse();
        assertThat(grace.begin(now + 99, 100)).isFalse();
        assertThat(grace.begin(now + 100, 100)).isTrue();
        assertThat(grace.begin(now + 199, 100)).isFalse();
        assertThat(grace.begin(now + 199, 0)).as("a shorter one from now on").isTrue();
    }
}
