package io.vhca.physical.soft.fuzz;

import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Carrier;
import java.lang.foreign.Arena;

/** A carrier that shows a fuzzer what arrives, and hands over the fuzzer's packets as if they had arrived as well. */
final class FuzzedCarrier implements Carrier {
    private final Carrier carrier;
    private final PacketFuzzer fuzzer;
    private final Arena keep;
    private final long memory;
    /** Packets to be handed over at the next receive. */
    int burst;

    FuzzedCarrier(final Carrier carrier, final PacketFuzzer fuzzer) {
        this.carrier = carrier;
        this.fuzzer = fuzzer;
        keep = Arena.ofShared();
        memory = keep.allocate(2L * PacketFuzzer.MOST_BYTES, 64).address();
    }

    @Override
    public Gid address() {
        return carrier.address();
    }

    @Override
    public int sourcePort() {
        return carrier.sourcePort();
    }

    @Override
    public int maxPacketBytes() {
        return carrier.maxPacketBytes();
    }

    @Override
    public boolean isUp() {
        return carrier.isUp();
    }

    @Override
    public boolean reaches(final Gid destination) {
        return carrier.reaches(destination);
    }

    @Override
    public int route(final Gid destination) {
        return carrier.route(destination);
    }

    @Override
    public void release(final int route) {
        carrier.release(route);
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        return carrier.send(route, packetAddress, lengthBytes);
    }

    @Override
    public void flush() {
        carrier.flush();
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        final int received = carrier.receive(
                (high, low, port, address, lengthBytes) -> {
                    synchronized (fuzzer) {
                        fuzzer.capture(address, lengthBytes);
                    }
                    handler.onPacket(high, low, port, address, lengthBytes);
                },
                limit);
        final int made = burst;
        burst = 0;
        for (int i = 0; i < made; i++) {
            final int lengthBytes = fuzzer.next(memory);
            final Gid from = fuzzer.source();
            handler.onPacket(
                    from.subnetPrefix(), from.interfaceId(), fuzzer.sourcePort(), memory, lengthBytes);
        }
        return received + made;
    }

    @Override
    public void close() {
        carrier.close();
        keep.close();
    }
}
