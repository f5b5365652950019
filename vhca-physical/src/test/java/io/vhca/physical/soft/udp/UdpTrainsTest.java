package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.OwnAddress;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.FillDescriptor;
import io.vhca.physical.soft.wire.Wire;
import java.lang.foreign.Arena;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets that go in trains arrive one by one, whole and in order, and only who takes trains gets any. */
class UdpTrainsTest {
    private static final int MTU = 1024;
    private static final int MANY = 300;
    private static final long WAIT_NS = 60_000_000_000L;

    /** {@code number lengthBytes} of each packet that waits, and how many messages of the kernel's they were. */
    private static int receive(final UdpCarrier carrier, final int wanted, final List<String> seen) {
        int messages = 0;
        while (seen.size() < wanted && carrier.awaitPacket(WAIT_NS)) {
            messages += carrier.receive(
                    (high, low, port, trafficClass, address, bytes) -> {
                        assertThat(NativeMemory.getInt(address + bytes - Integer.BYTES))
                                .isEqualTo(NativeMemory.getInt(address));
                        seen.add(NativeMemory.getInt(address) + " " + bytes);
                    },
                    64);
        }
        return messages;
    }

    /** Sends a packet that begins and ends with its number. */
    private static void send(final UdpCarrier from, final int route, final int number, final int bytes) {
        final long packet = from.place();
        NativeMemory.putInt(packet, number);
        NativeMemory.putLong(packet + Integer.BYTES, 0); // the rest of a BTH
        NativeMemory.putInt(packet + bytes - Integer.BYTES, number);
        assertThat(from.send(route, packet, bytes)).isTrue();
    }

    private static int lengthOf(final int number) {
        // Runs of one length, then a shorter one, then a longer one.
        return number % 7 == 6 ? 64 : number % 50 == 49 ? MTU : 900;
    }

    @Test
    void aTrainArrivesAsItsPackets() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(61), MTU, false);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(62), MTU, false)) {
            final int route = from.route(to.address());
            from.heard(route, Wire.UDP_PORT, false);
            final List<String> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                send(from, route, i, lengthOf(i));
                sent.add(i + " " + lengthOf(i));
            }
            from.flush();
            final List<String> seen = new ArrayList<>();
            final int messages = receive(to, MANY, seen);
            assertThat(seen).isEqualTo(sent);
            assertThat(from.sendErrors()).isZero();
            assumeThat(from.hasTrains()).as("a kernel with UDP_SEGMENT").isTrue();
            assertThat(messages).isLessThan(MANY / 3);
        }
    }

    /** Requests and their marks, and messages that are somewhat shorter than whole packets. */
    private static int unequal(final int number) {
        return number < MANY / 2 ? number % 2 == 0 ? 96 : 40 : number % 2 == 0 ? MTU : MTU - 100;
    }

    /** How many messages of the kernel's carry such packets. */
    private static int messagesOf(final boolean takesFilled) throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(61), MTU, false);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(62), MTU, false)) {
            final int route = from.route(to.address());
            from.heard(route, Wire.UDP_PORT, takesFilled);
            final List<String> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                send(from, route, i, unequal(i));
                sent.add(i + " " + unequal(i));
            }
            from.flush();
            final List<String> seen = new ArrayList<>();
            final int messages = receive(to, MANY, seen);
            assertThat(seen).isEqualTo(sent);
            assertThat(from.sendErrors()).isZero();
            assumeThat(from.hasTrains()).as("a kernel with UDP_SEGMENT").isTrue();
            return messages;
        }
    }

    @Test
    void packetsThatAreSomewhatShorterDoNotEndATrainForWhoTakesFilledOnes() throws UnknownHostException {
        assertThat(messagesOf(false)).isGreaterThanOrEqualTo(MANY / 2);
        assertThat(messagesOf(true)).isLessThan(MANY / 10);
    }

    @Test
    void whoGetsTrainsIsToldThatFilledPacketsAreTaken() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(61), MTU, false);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(62), MTU, false)) {
            final int route = from.route(to.address());
            final List<Boolean> offers = new ArrayList<>();
            for (final int port : new int[] {RawUdp.SOURCE_PORT, Wire.UDP_PORT}) {
                from.heard(route, port, false);
                send(from, route, port, 64);
                from.flush();
                assumeThat(from.hasTrains()).as("a kernel with UDP_SEGMENT").isTrue();
                assertThat(to.awaitPacket(WAIT_NS)).isTrue();
                to.receive((high, low, source, trafficClass, at, bytes) -> offers.add(FillDescriptor.isOffered(at)), 1);
            }
            assertThat(offers).containsExactly(false, true);
        }
    }

    @Test
    void whatIsMuchShorterEndsATrain() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 8, 4176, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            for (final int bytes : new int[] {4128, 3600, 4128, 4124, 40, 4128, 4124}) {
                trains.add(bytes, route, SocketLayout.SIN_SIZE, true, 4128);
            }
            assertThat(trains.messages()).isEqualTo(3);
            assertThat(trains.packetsOf(0)).isEqualTo(2); // an eighth of 4128 is 516
            assertThat(trains.packetsOf(1)).isEqualTo(3); // 4124 was filled up for what came behind, 40 was not
            assertThat(trains.packetsOf(2)).isEqualTo(2);
        }
    }

    /** A RETH is in a WRITE's first packet, immediate data in its last. */
    @Test
    void whatDiffersByAHeaderIsOneTrainFromTheFirstOn() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 64, 4176, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            final int[] write = {4128, 4112, 4116};
            final int most = OutgoingTrains.MOST_BYTES / 4128;
            final List<Long> places = new ArrayList<>();
            for (int i = 2; i < 2 + most; i++) {
                places.add(trains.place());
                NativeMemory.fill(trains.place(), BthDescriptor.SIZE, (byte) 0);
                trains.add(write[i % 3], route, SocketLayout.SIN_SIZE, true, 4128);
            }
            assertThat(trains.messages()).isEqualTo(1);
            assertThat(trains.packetsOf(0)).isEqualTo(most);
            assertThat(NativeMemory.getLong(trains.header(0) + SocketLayout.MSG_CONTROLLEN))
                    .as("the kernel is told how long they are")
                    .isEqualTo(SocketLayout.CMSG_SPACE);
            final long control = NativeMemory.getLong(trains.header(0) + SocketLayout.MSG_CONTROL);
            assertThat(NativeMemory.getShort(control + SocketLayout.CMSG_DATA)).isEqualTo((short) 4128);
            for (int i = 0; i < most - 1; i++) {
                assertThat(places.get(i + 1) - places.get(i)).isEqualTo(4128);
                assertThat(FillDescriptor.packetBytes(places.get(i), 4128)).isEqualTo(write[(2 + i) % 3]);
            }
        }
    }

    @Test
    void aPacketThatIsAloneIsNotFilledUp() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 8, 4176, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            trains.add(4112, route, SocketLayout.SIN_SIZE, true, 4128);
            assertThat(trains.messages()).isEqualTo(1);
            final long vector = NativeMemory.getLong(trains.header(0) + SocketLayout.MSG_IOV);
            assertThat(NativeMemory.getLong(vector + SocketLayout.IOV_LEN)).isEqualTo(4112);
            trains.clear();
            final long ack = trains.place();
            trains.add(20, route, SocketLayout.SIN_SIZE, true, 4128);
            assertThat(trains.place()).as("ACKs are not as long as what they confirm").isEqualTo(ack + 20);
        }
    }

    /** What lay there is of other packets, to somebody else. */
    @Test
    void aPacketIsFilledUpWithZeros() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 8, MTU, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            final long first = trains.place();
            NativeMemory.fill(first, 4L * MTU, (byte) 0x5a);
            trains.add(96, route, SocketLayout.SIN_SIZE, true, 96);
            assertThat(trains.place()).isEqualTo(first + 96);
            NativeMemory.fill(first + 96, BthDescriptor.SIZE, (byte) 0);
            trains.add(40, route, SocketLayout.SIN_SIZE, true, 96);
            assertThat(trains.place()).isEqualTo(first + 2 * 96);
            assertThat(NativeMemory.getByte(first + 96 + 40)).as("nothing follows yet").isEqualTo((byte) 0x5a);
            trains.add(96, route, SocketLayout.SIN_SIZE, true, 96);
            assertThat(trains.messages()).isEqualTo(1);
            assertThat(trains.packetsOf(0)).isEqualTo(3);
            assertThat(FillDescriptor.packetBytes(first + 96, 96)).isEqualTo(40);
            for (int i = 40; i < 96 - Short.BYTES; i++) {
                assertThat(NativeMemory.getByte(first + 96 + i)).isZero();
            }
        }
    }

    /** A train has its route's traffic class and hop limit beside its packets' length, and is told with both. */
    @Test
    void aTrainHasTheTrafficClassOfItsRoute() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(68), MTU, false);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(69), MTU, false)) {
            final int marked = from.route(new Destination(to.address(), 0x6a, 9));
            final int plain = from.route(to.address());
            to.route(new Destination(from.address(), 0x28, 0)); // so that it looks for classes
            from.heard(marked, Wire.UDP_PORT, false);
            from.heard(plain, Wire.UDP_PORT, false);
            for (int i = 0; i < MANY; i++) {
                send(from, i < MANY / 2 ? marked : plain, i, 900);
            }
            from.flush();
            final List<Integer> classes = new ArrayList<>();
            while (classes.size() < MANY && to.awaitPacket(WAIT_NS)) {
                to.receive((high, low, port, trafficClass, at, bytes) -> classes.add(trafficClass), 64);
            }
            assertThat(classes).hasSize(MANY);
            assertThat(classes.subList(0, MANY / 2)).containsOnly(0x6a);
            assertThat(classes.subList(MANY / 2, MANY)).containsOnly(0);
            assertThat(from.sendErrors()).isZero();
        }
    }

    @Test
    void whoWasHeardFromAnotherPortLastGetsSinglePackets() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(63), MTU, false);
                UdpCarrier to = new UdpCarrier("b", OwnAddress.of(64), MTU, false)) {
            final int route = from.route(to.address());
            from.heard(route, Wire.UDP_PORT, false);
            from.heard(route, RawUdp.SOURCE_PORT, false);
            for (int i = 0; i < 20; i++) {
                send(from, route, i, 900);
            }
            from.flush();
            final List<String> seen = new ArrayList<>();
            assertThat(receive(to, 20, seen)).isEqualTo(20);
            assertThat(seen).hasSize(20);
        }
    }

    @Test
    void anotherDestinationsPacketsAreInNoTrain() throws UnknownHostException {
        try (UdpCarrier from = new UdpCarrier("a", OwnAddress.of(65), MTU, false);
                UdpCarrier one = new UdpCarrier("b", OwnAddress.of(66), MTU, false);
                UdpCarrier other = new UdpCarrier("c", OwnAddress.of(67), MTU, false)) {
            final int toOne = from.route(one.address());
            final int toOther = from.route(other.address());
            from.heard(toOne, Wire.UDP_PORT, false);
            from.heard(toOther, Wire.UDP_PORT, false);
            for (int i = 0; i < 30; i++) {
                send(from, i % 3 == 0 ? toOther : toOne, i, 512);
            }
            from.flush();
            final List<String> atOther = new ArrayList<>();
            receive(other, 10, atOther);
            assertThat(atOther).hasSize(10).allMatch(line -> Integer.parseInt(line.split(" ")[0]) % 3 == 0);
            final List<String> atOne = new ArrayList<>();
            receive(one, 20, atOne);
            assertThat(atOne).hasSize(20).noneMatch(line -> Integer.parseInt(line.split(" ")[0]) % 3 == 0);
        }
    }

    @Test
    void aRefusedTrainIsSentPacketByPacket() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 4, MTU, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            final long first = trains.place();
            for (final int bytes : new int[] {100, 100, 60}) {
                trains.add(bytes, route, SocketLayout.SIN_SIZE, true, 0);
            }
            assertThat(trains.messages()).isEqualTo(1);
            assertThat(trains.packetsOf(0)).isEqualTo(3);
            final long vector = NativeMemory.getLong(trains.header(0) + SocketLayout.MSG_IOV);
            assertThat(NativeMemory.getLong(vector + SocketLayout.IOV_LEN)).isEqualTo(260);
            final int[] lengths = {100, 100, 60};
            for (int i = 0; i < lengths.length; i++) {
                trains.uncouple(0, i);
                assertThat(NativeMemory.getLong(vector)).isEqualTo(first + i * 100L);
                assertThat(NativeMemory.getLong(vector + SocketLayout.IOV_LEN)).isEqualTo(lengths[i]);
                assertThat(NativeMemory.getLong(trains.header(0) + SocketLayout.MSG_CONTROLLEN)).isZero();
            }
        }
    }

    @Test
    void aTrainIsNoLongerThanADatagram() {
        try (Arena arena = Arena.ofConfined()) {
            final OutgoingTrains trains = new OutgoingTrains(arena, 64, 4176, 0);
            final long route = arena.allocate(RouteDescriptor.STRIDE, 8).address();
            for (int i = 0; i < 40; i++) {
                trains.add(4112, route, SocketLayout.SIN_SIZE, true, 0);
            }
            assertThat(trains.packetsOf(0)).isEqualTo(OutgoingTrains.MOST_BYTES / 4112);
            trains.clear();
            for (int i = 0; i < 2 * OutgoingTrains.MOST_PACKETS; i++) {
                trains.add(32, route, SocketLayout.SIN_SIZE, true, 0);
            }
            assertThat(trains.messages()).isEqualTo(2);
            assertThat(trains.packetsOf(1)).isEqualTo(OutgoingTrains.MOST_PACKETS);
        }
    }

    /** As where no native memory is left. */
    @Test
    void aCarrierThatCannotBeMadeLeavesItsAddressFree() throws UnknownHostException {
        assertThatThrownBy(() -> new UdpCarrier("a", OwnAddress.of(61), -MTU, false))
                .isInstanceOf(IllegalArgumentException.class);
        new UdpCarrier("a", OwnAddress.of(61), MTU, false).close();
    }
}
