package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.OwnAddress;
import io.vhca.physical.soft.carrier.Destination;
import java.lang.foreign.Arena;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Routes of a UDP socket: bounded, and a packet that was gathered goes where its route led when it was sent. */
class UdpRoutesTest {
    private static final int MANY = 10_000;
    private static final int PACKET_BYTES = 64;
    private static final long WAIT_NS = 60_000_000_000L;

    private static Gid stranger(final int number) {
        return new Gid(0, 0xffff_0000_0000L | 0x7f00_0000L | 0xc0_0000L + number);
    }

    private static int receive(final UdpCarrier carrier) {
        final int[] first = {-1};
        if (carrier.awaitPacket(WAIT_NS)) {
            carrier.receive(
                    (high, low, port, trafficClass, address, bytes) -> first[0] = NativeMemory.getByte(address), 1);
        }
        return first[0];
    }

    @Test
    void strangersAreForgottenAndPeersAreNot() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(31), 1024);
                UdpCarrier peer = new UdpCarrier("b", OwnAddress.of(32), 1024);
                Arena arena = Arena.ofConfined()) {
            final long packet = arena.allocate(PACKET_BYTES).address();
            final int toPeer = from.route(peer.address());
            for (int i = 0; i < MANY; i++) {
                final int token = from.route(stranger(i));
                assertThat(token).isNotNegative().isNotEqualTo(toPeer);
                from.release(token);
            }
            NativeMemory.putByte(packet, (byte) 7);
            assertThat(from.send(toPeer, packet, PACKET_BYTES)).isTrue();
            from.flush();
            assertThat(receive(peer)).isEqualTo(7);
            from.release(toPeer);
        }
    }

    @Test
    void aGatheredPacketDoesNotFollowItsRouteToANewDestination() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(33), 1024);
                UdpCarrier first = new UdpCarrier("b", OwnAddress.of(34), 1024);
                UdpCarrier second = new UdpCarrier("c", OwnAddress.of(35), 1024);
                Arena arena = Arena.ofConfined()) {
            final List<Integer> taken = new ArrayList<>();
            final int toFirst = from.route(first.address());
            int token = toFirst;
            for (int i = 0; token >= 0; i++) {
                taken.add(token);
                token = from.route(stranger(i));
            }
            assertThat(token).isEqualTo(-Errno.ENOMEM);
            final long packet = arena.allocate(PACKET_BYTES).address();
            NativeMemory.putByte(packet, (byte) 1);
            from.send(toFirst, packet, PACKET_BYTES);
            from.release(toFirst);
            final int toSecond = from.route(second.address());
            assertThat(toSecond).isEqualTo(toFirst);
            NativeMemory.putByte(packet, (byte) 2);
            from.send(toSecond, packet, PACKET_BYTES);
            from.flush();
            assertThat(receive(first)).isEqualTo(1);
            assertThat(receive(second)).isEqualTo(2);
            assertThat(taken).doesNotHaveDuplicates();
        }
    }

    /** Packets of one socket, each with the class of its route; told once somebody here has one. */
    @Test
    void aPacketHasTheTrafficClassOfItsRoute() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(37), 1024);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(38), 1024);
                Arena arena = Arena.ofConfined()) {
            final long packet = arena.allocate(PACKET_BYTES).address();
            final int plain = from.route(to.address());
            final int marked = from.route(new Destination(to.address(), 0x6a, 9));
            final int low = from.route(new Destination(to.address(), 0x28, 0));
            assertThat(List.of(plain, marked, low)).doesNotHaveDuplicates();
            assertThat(from.route(new Destination(to.address(), 0x6a, 9))).isEqualTo(marked);
            final List<Integer> classes = new ArrayList<>();
            for (final int asked : new int[] {0, 1}) {
                from.send(marked, packet, PACKET_BYTES);
                from.send(plain, packet, PACKET_BYTES);
                from.send(low, packet, PACKET_BYTES);
                from.flush();
                for (int i = 0; i < 3 && to.awaitPacket(WAIT_NS); i++) {
                    to.receive((high, lowHalf, port, trafficClass, at, bytes) -> classes.add(trafficClass), 1);
                }
                to.route(new Destination(from.address(), 0x28, 0));
            }
            assertThat(classes).containsExactly(0, 0, 0, 0x6a, 0, 0x28);
            assertThat(from.sendErrors()).isZero();
        }
    }

    @Test
    void theOtherIpVersionCannotBeReached() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(36), 1024)) {
            final Gid v6 = new Gid(0xfd00L << 48, 1);
            assertThat(from.reaches(v6)).isFalse();
            assertThat(from.route(v6)).isEqualTo(-Errno.ENETUNREACH);
        }
    }
}
