package io.vhca.physical.soft.engine.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import org.junit.jupiter.api.Test;

/** A port that sent more than its rate allows waits for as long as the surplus takes. */
class PortRateTest {
    private final NicCounters counters = new NicCounters("soft0");

    @Test
    void withoutALimitThePortIsAlwaysOpen() {
        final PortRate rate = new PortRate(counters, 0);
        counters.add(NicCounter.TX_BYTES, 1L << 40);
        assertThat(rate.isOpen(5)).isTrue();
        assertThat(rate.openNs(5)).isEqualTo(5);
    }

    @Test
    void debtIsPaidByTime() {
        final PortRate rate = new PortRate(counters, 8);
        assertThat(rate.isOpen(0)).isTrue();
        counters.add(NicCounter.TX_BYTES, 1_000);
        assertThat(rate.isOpen(0)).isFalse();
        assertThat(rate.openNs(0)).as("a byte a microsecond").isEqualTo(1_000_000);
        assertThat(rate.isOpen(999_999)).isFalse();
        assertThat(rate.isOpen(1_000_000)).isTrue();
    }

    @Test
    void whatWasSavedIsNotMoreThanABurst() {
        final PortRate rate = new PortRate(counters, 8);
        assertThat(rate.isOpen(0)).isTrue();
        assertThat(rate.isOpen(1_000_000_000)).isTrue();
        counters.add(NicCounter.TX_BYTES, 4_001);
        assertThat(rate.isOpen(1_000_000_000)).isFalse();
    }
}
