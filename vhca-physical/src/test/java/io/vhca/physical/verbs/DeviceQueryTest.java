package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Sizes that C has unsigned. */
class DeviceQueryTest {
    /** rxe and mlx5 say so of max_mr_size: a bond would take it for less than any other device's. */
    @Test
    void noLimitIsTheLargestSize() {
        assertThat(DeviceQuery.signed(-1L)).isEqualTo(Long.MAX_VALUE);
        assertThat(DeviceQuery.signed(1L << 40)).isEqualTo(1L << 40);
        assertThat(DeviceQuery.signed(0x8000_0000)).isEqualTo(Integer.MAX_VALUE);
        assertThat(DeviceQuery.signed(1 << 30)).isEqualTo(1 << 30);
    }

    /** A bond would refuse every address handle. */
    @Test
    void aLimitOfZeroThatTheDriverLeftOutIsNone() {
        assertThat(DeviceQuery.told(0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(DeviceQuery.told(1)).isEqualTo(1);
        assertThat(DeviceQuery.told(-1)).isEqualTo(Integer.MAX_VALUE);
    }
}
