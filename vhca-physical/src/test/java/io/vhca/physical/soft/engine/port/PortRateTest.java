package io.vhca.physical.soft.engine.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import org.junit.jupiter.api.Test;

/** A port that sent more than its rate allows waits for as long as the surplus takes. */
class PortRateTest {
    private static final Gid IPV4 = new Gid(0, 0xffff_0a01_0001L);
    private static final Gid IPV6 = new Gid(0xfd00_0000_0000_0000L, 1);

    private final NicCounters counters = new NicCounters("soft0");

    @Test
    void withoutALimitThePortIsAlwaysOpen() {
        final PortRate rate = new PortRate(counters, 0, IPV4);
        counters.add(NicCounter.TX_BYTES, 1L << 40);
        assertThat(rate.isOpen(5)).isTrue();
        assertThat(rate.openNs(5)).isEqualTo(5);
    }

    @Test
    void debtIsPaidByTime() {
        final PortRate rate = new PortRate(counters, 8, IPV4);
        assertThat(rate.isOpen(0)).isTrue();
        counters.add(NicCounter.TX_BYTES, 1_000);
        assertThat(rate.isOpen(0)).isFalse();
        assertThat(rate.openNs(0)).as("a byte a microsecond").isEqualTo(1_000_000);
        assertThat(rate.isOpen(999_999)).isFalse();
        assertThat(rate.isOpen(1_000_000)).isTrue();
    }

    /** A packet of 100 bytes for UDP is one of 166 or 186 on the link. */
    @Test
    void aPacketCountsWithWhatIsAroundItOnTheLink() {
        final PortRate ipv4 = new PortRate(counters, 8, IPV4);
        final PortRate ipv6 = new PortRate(counters, 8, IPV6);
        assertThat(ipv4.isOpen(0) && ipv6.isOpen(0)).isTrue();
        counters.add(NicCounter.TX_BYTES, 300);
        counters.add(NicCounter.TX_PACKETS, 3);
        assertThat(ipv4.isOpen(0) || ipv6.isOpen(0)).isFalse();
        assertThat(ipv4.openNs(0)).isEqualTo(3 * 166_000);
        assertThat(ipv6.openNs(0)).isEqualTo(3 * 186_000);
    }

    @Test
    void whatWasSavedIsNotMoreThanABurst() {
        final PortRate rate = new PortRate(counters, 8, IPV4);
        assertThat(rate.isOpen(0)).isTrue();
        assertThat(rate.isOpen(1_000_000_000)).isTrue();
        counters.add(NicCounter.TX_BYTES, 4_001);
        assertThat(rate.isOpen(1_000_000_000)).isFalse();
    }
}
