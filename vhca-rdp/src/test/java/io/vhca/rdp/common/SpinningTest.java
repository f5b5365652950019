package io.vhca.rdp.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who has the only processor gives it away. */
class SpinningTest {
    @Test
    void noTurnsAreTakenOnTheOnlyProcessor() {
        assertThat(Spinning.turns(200, 2)).isEqualTo(200);
        assertThat(Spinning.turns(200, 1)).isZero();
    }

    @Test
    void napsAreLongerOnTheOnlyProcessor() {
        assertThat(Spinning.napNs(200_000, 2)).isEqualTo(200_000);
        assertThat(Spinning.napNs(200_000, 1)).isEqualTo(2_000_000);
    }
}
