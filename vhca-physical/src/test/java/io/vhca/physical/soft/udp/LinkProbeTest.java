package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** What is known of an address without asking anybody but the kernel. */
class LinkProbeTest {
    private static boolean isPresent(final String address) {
        try (Arena arena = Arena.ofConfined();
                LinkProbe probe = new LinkProbe(arena, InetAddress.ofLiteral(address), null)) {
            return probe.addressPresent();
        }
    }

    @Test
    void anAddressOfTheHostIsPresentAndOneOfNobodysIsNot() {
        assertThat(isPresent("127.0.0.1")).isTrue();
        assertThat(isPresent("192.0.2.1")).as("documentation, RFC 5737").isFalse();
    }

    /** An interface that was renamed, or that the address was moved away from, is not a link that is down. */
    @Test
    void anAddressIsFoundUnderTheNewNameOfItsInterface() {
        try (Arena arena = Arena.ofConfined();
                LinkProbe renamed = new LinkProbe(arena, InetAddress.ofLiteral("127.0.0.1"), "gone0");
                LinkProbe lost = new LinkProbe(arena, InetAddress.ofLiteral("192.0.2.1"), "gone0")) {
            assertThat(renamed.interfaceUp()).isTrue();
            assertThat(renamed.mtu()).isGreaterThan(1500);
            assertThat(lost.interfaceUp()).isFalse();
        }
    }

    /** Each port that it is bound to is another one, of those that applications may have taken all. */
    @Test
    void whereNoPortIsLeftTheAddressIsStillThere() {
        assertThat(LinkProbe.saysGone(0)).isFalse();
        assertThat(LinkProbe.saysGone(-Errno.EADDRINUSE)).isFalse();
        assertThat(LinkProbe.saysGone(-Errno.EADDRNOTAVAIL)).isTrue();
        assertThat(LinkProbe.saysGone(-Errno.ENODEV)).as("the interface of a link-local one").isTrue();
    }
}
