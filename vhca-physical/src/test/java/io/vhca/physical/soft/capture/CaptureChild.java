package io.vhca.physical.soft.capture;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.file.Path;
import org.agrona.concurrent.SystemEpochNanoClock;

/** A process that sends through a capture until it is killed: what {@link CaptureTest} starts. */
final class CaptureChild {
    static final String WRAPPED = "wrapped";
    static final int LENGTH = 64;

    private CaptureChild() {}

    /** A carrier that takes all and brings back what was sent last. */
    static final class Echo implements Carrier {
        final Arena arena = Arena.ofAuto();
        final long packet = arena.allocate(CaptureDescriptor.PACKET_BYTES).address();
        int length;
        boolean takes = true;

        @Override
        public Gid address() {
            return Gid.of(InetAddress.ofLiteral("10.1.0.1"));
        }

        @Override
        public int sourcePort() {
            return 4791;
        }

        @Override
        public int maxPacketBytes() {
            return CaptureDescriptor.PACKET_BYTES;
        }

        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public boolean reaches(final Gid destination) {
            return true;
        }

        @Override
        public int route(final Destination destination) {
            return 300;
        }

        @Override
        public void release(final int route) {
            // There is one.
        }

        @Override
        public boolean send(final int route, final long packetAddress, final int lengthBytes) {
            length = lengthBytes;
            NativeMemory.copy(packetAddress, packet, lengthBytes);
            NativeMemory.putLong(packetAddress, 0);
            return takes;
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }

        @Override
        public int receive(final PacketHandler handler, final int limit) {
            final Gid from = Gid.of(InetAddress.ofLiteral("10.1.0.2"));
            handler.onPacket(from.subnetPrefix(), from.interfaceId(), 0xC000, 4, packet, length);
            return 1;
        }

        @Override
        public void close() {
            // Its memory goes by itself.
        }
    }

    /** Argument: the directory. */
    public static void main(final String[] args) {
        final Carrier carrier = new CapturingCarrier(new Echo(), "soft0", Path.of(args[0]), new SystemEpochNanoClock());
        final int route = carrier.route(Destination.of(Gid.of(InetAddress.ofLiteral("10.1.0.2"))));
        final long packet = Arena.global().allocate(LENGTH, Long.BYTES).address();
        for (long number = 1; ; number++) {
            NativeMemory.putLong(packet, number);
            NativeMemory.putLong(packet + LENGTH - Long.BYTES, ~number);
            carrier.send(route, packet, LENGTH);
            if (number == 2 * CaptureDescriptor.SLOTS) {
                System.out.println(WRAPPED);
            }
        }
    }
}
