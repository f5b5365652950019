package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.soft.OwnAddress;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A raw socket in the place of the UDP socket that the kernel has. Runs as root alone. */
class RawUdpTest {
    private static final long WAIT_NS = 60_000_000_000L;
    private static final int PACKET_BYTES = 64;
    private static final int ROCE = 4791;

    @BeforeEach
    void mayHaveRawSockets() {
        final int socket = LibC.socket(LibC.AF_INET, LibC.SOCK_RAW, LibC.IPPROTO_UDP);
        assumeThat(socket).as("a raw socket").isNotNegative();
        Posix.close(socket);
    }

    private static List<String> receive(final UdpCarrier carrier) {
        return receive(carrier, 16);
    }

    private static List<String> receive(final UdpCarrier carrier, final int limit) {
        final List<String> seen = new ArrayList<>();
        if (carrier.awaitPacket(WAIT_NS)) {
            carrier.receive(
                    (high, low, port, trafficClass, address, bytes) -> seen.add(
                            new Gid(high, low) + " " + port + " " + bytes + " " + NativeMemory.getByte(address)),
                    limit);
        }
        return seen;
    }

    private static void send(final UdpCarrier from, final UdpCarrier to, final byte content) {
        try (Arena arena = Arena.ofConfined()) {
            final long packet = arena.allocate(PACKET_BYTES).address();
            NativeMemory.putByte(packet, content);
            final int route = from.route(to.address());
            assertThat(from.send(route, packet, PACKET_BYTES)).isTrue();
            from.flush();
            from.release(route);
        }
    }

    @Test
    void rawAndPlainSocketsUnderstandEachOther() throws UnknownHostException {
        try (UdpCarrier raw = new UdpCarrier("raw", OwnAddress.of(51), 1024, true);
                UdpCarrier other = new UdpCarrier("other", OwnAddress.of(52), 1024, true);
                UdpCarrier plain = new UdpCarrier("plain", OwnAddress.of(53), 1024, false)) {
            send(raw, plain, (byte) 1);
            assertThat(receive(plain)).containsExactly(raw.address() + " 53943 64 1");
            send(plain, raw, (byte) 2);
            assertThat(receive(raw)).containsExactly(plain.address() + " 4791 64 2");
            send(raw, other, (byte) 3);
            assertThat(receive(other)).containsExactly(raw.address() + " 53943 64 3");
        }
    }

    @Test
    void onlyPacketsToThePortOfRoceAreReceived() throws IOException {
        try (UdpCarrier raw = new UdpCarrier("raw", OwnAddress.of(54), 1024, true);
                DatagramSocket socket = new DatagramSocket(0, OwnAddress.of(55))) {
            for (final int port : new int[] {ROCE - 1, ROCE, ROCE + 1}) {
                socket.send(new DatagramPacket(new byte[PACKET_BYTES], PACKET_BYTES, OwnAddress.of(54), port));
            }
            // The others did not even come into the queue: the first packet in it is the right one.
            assertThat(receive(raw, 1))
                    .containsExactly(
                            Gid.of(OwnAddress.of(55)) + " " + socket.getLocalPort() + " " + PACKET_BYTES + " 0");
        }
    }

    /** Packets to addresses of others, for instance, which the socket has until it is bound. */
    @Test
    void whatCameBeforeTheSocketIsBoundIsDropped() throws IOException {
        final int raw = RawUdp.open("raw", Gid.of(OwnAddress.of(57)));
        try (DatagramSocket socket = new DatagramSocket(0, OwnAddress.of(58))) {
            socket.send(new DatagramPacket(new byte[PACKET_BYTES], PACKET_BYTES, OwnAddress.of(59), ROCE));
            assertThat(RawUdp.drop(raw)).isPositive();
        } finally {
            Posix.close(raw);
        }
    }

    @Test
    void anAddressHasOneSoftDevice() throws UnknownHostException {
        final InetAddress address = OwnAddress.of(56);
        try (UdpCarrier first = new UdpCarrier("first", address, 1024, true)) {
            assertThat(first.isUp()).isTrue();
            assertThatThrownBy(() -> new UdpCarrier("second", address, 1024, true))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("another process has this soft device open");
        }
        new UdpCarrier("third", address, 1024, true).close();
    }

    /** As where no native memory is left. */
    @Test
    void aCarrierThatCannotBeMadeLeavesItsAddressFree() throws UnknownHostException {
        final InetAddress address = OwnAddress.of(56);
        assertThatThrownBy(() -> new UdpCarrier("first", address, -1024, true))
                .isInstanceOf(IllegalArgumentException.class);
        new UdpCarrier("second", address, 1024, true).close();
    }

    @Test
    void aDeviceOfTheKernelsAtThatAddressIsNamed(@TempDir final Path devices) throws IOException {
        final Path gids = Files.createDirectories(devices.resolve("rxe1/ports/1/gids"));
        Files.writeString(gids.resolve("0"), "fe80:0000:0000:0000:5054:00ff:fe76:0001\n");
        Files.writeString(gids.resolve("1"), "0000:0000:0000:0000:0000:ffff:0a4d:0001\n");
        assertThat(RawUdp.deviceAt(Gid.of(InetAddress.getByName("10.77.0.1")), devices)).isEqualTo("rxe1");
        assertThat(RawUdp.deviceAt(Gid.of(InetAddress.getByName("10.77.0.2")), devices)).isEmpty();
        assertThat(RawUdp.deviceAt(Gid.of(InetAddress.getByName("10.77.0.1")), devices.resolve("none"))).isEmpty();
    }

    @Test
    void whatIsCutOrForAnotherPortHasNoHeader() {
        try (Arena arena = Arena.ofConfined()) {
            final long packet = arena.allocate(128).address();
            // A header with options: 24 bytes.
            NativeMemory.putByte(packet, (byte) 0x46);
            RawUdp.putHeader(packet + 24, PACKET_BYTES);
            final int whole = 24 + RawUdp.HEADER_BYTES + PACKET_BYTES;
            assertThat(RawUdp.header(packet, whole)).isEqualTo(24);
            assertThat(RawUdp.sourcePort(packet + 24)).isEqualTo(RawUdp.SOURCE_PORT);
            assertThat(RawUdp.header(packet, whole - 1)).isNegative();
            assertThat(RawUdp.header(packet, 31)).isNegative();
            assertThat(RawUdp.header(packet, 0)).isNegative();
            NativeMemory.putByte(packet + 27, (byte) 0);
            assertThat(RawUdp.header(packet, whole)).isNegative();
        }
    }
}
