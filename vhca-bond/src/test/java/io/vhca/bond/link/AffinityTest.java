package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class AffinityTest {
    private static int affinity(final String a, final String b) {
        return Affinity.of(InetAddress.ofLiteral(a), InetAddress.ofLiteral(b));
    }

    @Test
    void affinityCountsCommonLeadingBits() {
        assertThat(affinity("10.1.0.1", "10.1.0.1")).isEqualTo(32);
        assertThat(affinity("10.1.0.1", "10.1.0.2")).isEqualTo(30);
        assertThat(affinity("10.1.0.1", "10.2.0.1")).isEqualTo(14);
        assertThat(affinity("10.1.0.1", "138.1.0.1")).isZero();
        assertThat(affinity("fd00::1", "fd00::1")).isEqualTo(128);
        assertThat(affinity("10.1.0.1", "fd00::1")).isZero();
        for (int bit = 0; bit < 32; bit++) {
            final int other = 1 << 31 - bit;
            assertThat(affinity("0.0.0.0", (other >>> 24) + "." + (other >> 16 & 255) + "." + (other >> 8 & 255) + "."
                    + (other & 255))).isEqualTo(bit);
        }
    }
}
