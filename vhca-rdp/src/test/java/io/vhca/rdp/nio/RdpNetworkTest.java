package io.vhca.rdp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.RdpSockets;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which addresses are of a network, and which mean all of its nodes. */
class RdpNetworkTest {
    /** Of a driver that has that address and does nothing. */
    private static RdpNetwork network(final String own, final int prefixBits) {
        final InetAddress address = InetAddress.ofLiteral(own);
        final Object driver = Proxy.newProxyInstance(
                RdpSockets.class.getClassLoader(), new Class<?>[] {RdpSockets.class},
                (proxy, method, arguments) -> address);
        return new RdpNetwork((RdpSockets) driver, prefixBits);
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.7.1, 24, 192.168.7.255",
        "192.168.7.1, 30, 192.168.7.3",
        "192.168.7.1, 24, 255.255.255.255",
        "192.168.7.1, 31, 255.255.255.255",
        "192.168.7.1, 32, 255.255.255.255",
        "fd00::1, 64, 255.255.255.255"
    })
    void anAddressOfAllNodesIsNotReached(final String own, final int prefixBits, final String address) {
        assertThat(network(own, prefixBits).isBroadcast(InetAddress.ofLiteral(address))).isTrue();
        assertThat(network(own, prefixBits).reaches(InetAddress.ofLiteral(address))).isFalse();
    }

    /** Both addresses of a network of two are nodes (RFC 3021), and IPv6 has no broadcast. */
    @ParameterizedTest
    @CsvSource({
        "192.168.7.1, 24, 192.168.7.254",
        "192.168.7.255, 24, 192.168.7.255",
        "192.168.7.0, 31, 192.168.7.1",
        "192.168.7.1, 31, 192.168.7.0",
        "192.168.7.255, 32, 192.168.7.255",
        "fd00::1, 64, fd00::ffff:ffff:ffff:ffff",
        "fd00::1, 112, fd00::ffff",
        "fd00::, 127, fd00::1"
    })
    void anAddressOfOneNodeIsReached(final String own, final int prefixBits, final String address) {
        assertThat(network(own, prefixBits).isBroadcast(InetAddress.ofLiteral(address))).isFalse();
        assertThat(network(own, prefixBits).reaches(InetAddress.ofLiteral(address))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"192.168.7.1, 24, 192.168.8.255", "192.168.7.1, 32, 192.168.7.2", "192.168.7.1, 31, 192.168.7.3"})
    void anAddressElsewhereIsNeither(final String own, final int prefixBits, final String address) {
        assertThat(network(own, prefixBits).isBroadcast(InetAddress.ofLiteral(address))).isFalse();
        assertThat(network(own, prefixBits).reaches(InetAddress.ofLiteral(address))).isFalse();
    }
}
