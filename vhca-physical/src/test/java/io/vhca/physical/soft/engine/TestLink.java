package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.RouteTable;
import io.vhca.physical.soft.engine.core.NativeHeap;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.IpIdentification;
import io.vhca.physical.soft.wire.Wire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Two carriers joined by queues; a test says what happens to each packet by its direction and number. */
final class TestLink {
    /** What happens to a packet. */
    enum Fate {
        PASS,
        DROP,
        DOUBLE,
        /** Arrives after the packet that follows it in its direction. */
        OVERTAKEN,
        /** One bit of its last payload byte, or of its headers, is turned. */
        CORRUPT
    }

    /** Decides; numbers count from 0 in each direction. */
    interface Fates {
        Fate of(int direction, int number, int opcode);
    }

    static final int A_TO_B = 0;
    static final int B_TO_A = 1;
    /** Peers that an end can have at a time. */
    static final int ROUTES = 8;

    private static final int MAX_PACKET = 4096 + 64;

    Fates fates = (direction, number, opcode) -> Fate.PASS;
    final End a;
    final End b;
    /** Opcodes in the order sent, by direction. */
    final List<List<Integer>> opcodes = List.of(new ArrayList<>(), new ArrayList<>());
    /** Whether the packet asked for an acknowledgement, in the order sent, by direction. */
    final List<List<Boolean>> ackRequests = List.of(new ArrayList<>(), new ArrayList<>());
    final int[] sent = new int[2];

    TestLink(final Gid addressA, final Gid addressB) {
        a = new End(A_TO_B, addressA, 49_152);
        b = new End(B_TO_A, addressB, 49_153);
    }

    boolean isQuiet() {
        return a.inbox.isEmpty() && b.inbox.isEmpty();
    }

    /** Also forgets packets that wait to be overtaken. */
    boolean flushHeld() {
        final boolean any = !a.held.isEmpty() || !b.held.isEmpty();
        a.inbox.addAll(b.held);
        b.inbox.addAll(a.held);
        a.held.clear();
        b.held.clear();
        return any;
    }

    final class End implements Carrier {
        private final int direction;
        private final Gid address;
        private final int port;
        final Deque<byte[]> inbox = new ArrayDeque<>();
        private final Deque<byte[]> held = new ArrayDeque<>();
        private final @Nullable Gid[] leads = new Gid[ROUTES];
        private final RouteTable routes = new RouteTable(ROUTES, (token, to) -> leads[token] = to.gid());
        private final long memory = NativeHeap.allocate(MAX_PACKET);
        boolean isUp = true;
        private int flushed;
        /** Packets that this end had flushed when it received last. */
        int flushedAtReceive;
        /** The IP identification of the next packet, one more for each, as Linux's rxe has it; or -1: always 0. */
        int nextIdentification = -1;
        /** The traffic class with which packets arrive here. */
        int arrivesWith;
        /** Applied to every packet that leaves, its ICRC included. */
        Consumer<byte[]> spoiler = packet -> { };
        /** The address that packets to the other end seem to come from. */
        Gid shownAddress;

        End(final int direction, final Gid address, final int port) {
            this.direction = direction;
            this.address = address;
            this.port = port;
            shownAddress = address;
        }

        private End other() {
            return direction == A_TO_B ? b : a;
        }

        @Override
        public Gid address() {
            return address;
        }

        @Override
        public int sourcePort() {
            return port;
        }

        @Override
        public int maxPacketBytes() {
            return MAX_PACKET;
        }

        @Override
        public boolean isUp() {
            return isUp;
        }

        @Override
        public boolean reaches(final Gid destination) {
            return true;
        }

        @Override
        public int route(final Destination destination) {
            return routes.take(destination);
        }

        @Override
        public void release(final int route) {
            routes.release(route);
        }

        @Override
        public boolean send(final int route, final long packetAddress, final int lengthBytes) {
            final byte[] packet = NativeMemory.segment(packetAddress, lengthBytes)
                    .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            final int opcode = packet[0] & 0xff;
            opcodes.get(direction).add(opcode);
            ackRequests.get(direction).add(BthDescriptor.isAckRequested(packetAddress));
            final Fate fate = fates.of(direction, sent[direction]++, opcode);
            if (!isUp || !other().address.equals(leads[route])) {
                return false;
            }
            if (nextIdentification >= 0) {
                identify(packet);
            }
            spoiler.accept(packet);
            final Deque<byte[]> to = other().inbox;
            switch (fate) {
                case PASS -> to.add(packet);
                case DROP -> { }
                case DOUBLE -> {
                    to.add(packet);
                    to.add(packet);
                }
                case CORRUPT -> {
                    packet[packet.length - 5] ^= 4;
                    to.add(packet);
                }
                case OVERTAKEN -> {
                    held.add(packet);
                    return true;
                }
            }
            to.addAll(held);
            held.clear();
            return true;
        }

        private void identify(final byte[] packet) {
            final int covered = packet.length - Wire.ICRC_BYTES;
            final int effect = IpIdentification.effect(nextIdentification, covered);
            for (int i = 0; i < Wire.ICRC_BYTES; i++) {
                packet[covered + i] ^= (byte) (effect >>> Byte.SIZE * i);
            }
            nextIdentification = nextIdentification + 1 & 0xffff;
        }

        @Override
        public void flush() {
            flushed = sent[direction]; // they left at once
        }

        @Override
        public int receive(final PacketHandler handler, final int limit) {
            flushedAtReceive = flushed;
            int count = 0;
            while (count < limit && !inbox.isEmpty()) {
                final byte[] packet = inbox.remove();
                for (int i = 0; i < packet.length; i++) {
                    NativeMemory.putByte(memory + i, packet[i]);
                }
                final End from = other();
                handler.onPacket(
                        from.shownAddress.subnetPrefix(),
                        from.shownAddress.interfaceId(),
                        from.port,
                        arrivesWith,
                        memory,
                        packet.length);
                count++;
            }
            return count;
        }

        @Override
        public void close() {
            NativeHeap.free(memory);
        }
    }
}
