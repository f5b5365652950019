package io.vhca.physical.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * The expected values come from a separate program written from annex A17 that reproduces the ICRCs of two captured
 * frames (a UC SEND, 78f353f3, and a CNP of a ConnectX-4, 82fd002a); here the IP identification is 0, as this device
 * sends it.
 */
class IcrcTest {
    private static final String BTH = "2460ffff000000d300cf1710";
    private static final String PACKET = BTH + "4630818be28935d90e9a95505401be885e500000";

    private static int compute(final String source, final String destination, final int port, final String hex)
            throws UnknownHostException {
        try (Arena arena = Arena.ofConfined()) {
            final byte[] bytes = HexFormat.of().parseHex(hex);
            final MemorySegment packet = arena.allocate(bytes.length + Wire.ICRC_BYTES);
            MemorySegment.copy(bytes, 0, packet, ValueLayout.JAVA_BYTE, 0, bytes.length);
            final Gid from = Gid.of(InetAddress.getByName(source));
            final Gid to = Gid.of(InetAddress.getByName(destination));
            final int icrc = new Icrc()
                    .compute(
                            from.subnetPrefix(),
                            from.interfaceId(),
                            to.subnetPrefix(),
                            to.interfaceId(),
                            port,
                            packet.address(),
                            bytes.length);
            Icrc.put(packet.address() + bytes.length, icrc);
            assertThat(Icrc.get(packet.address() + bytes.length)).isEqualTo(icrc);
            assertThat(packet.get(ValueLayout.JAVA_BYTE, bytes.length)).isEqualTo((byte) icrc);
            return icrc;
        }
    }

    @Test
    void matchesKnownAnswers() throws UnknownHostException {
        assertThat(compute("192.168.0.7", "192.168.0.7", 49_152, PACKET)).isEqualTo(0x754287ed);
        assertThat(compute("fd00::1", "fd00::2", 49_152, PACKET)).isEqualTo(0x9dc84e45);
        assertThat(compute("10.0.17.1", "10.0.18.1", 0, BTH)).isEqualTo(0x524b7389);
    }

    @Test
    void ignoresTheReservedByteOnly() throws UnknownHostException {
        final int plain = compute("10.0.0.1", "10.0.0.2", 1, PACKET);
        for (int i = 0; i < PACKET.length() / 2; i++) {
            final byte[] bytes = HexFormat.of().parseHex(PACKET);
            bytes[i] ^= 0x40;
            final int changed = compute("10.0.0.1", "10.0.0.2", 1, HexFormat.of().formatHex(bytes));
            assertThat(changed == plain).as("byte %d", i).isEqualTo(i == BthDescriptor.DEST_QP_OFFSET);
        }
    }
}
