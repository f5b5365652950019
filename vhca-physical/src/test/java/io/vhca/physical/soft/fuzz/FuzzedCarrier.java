package io.vhca.physical.soft.fuzz;

import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.lang.foreign.Arena;

/** A carrier that shows a fuzzer what arrives, and hands over the fuzzer's packets as if they had arrived as well. */
final class FuzzedCarrier extends ForwardingCarrier {
    private final PacketFuzzer fuzzer;
    private final Arena keep;
    private final long memory;
    /** Packets to be handed over at the next receive. */
    int burst;

    FuzzedCarrier(final Carrier carrier, final PacketFuzzer fuzzer) {
        super(carrier);
        this.fuzzer = fuzzer;
        keep = Arena.ofShared();
        memory = keep.allocate(2L * PacketFuzzer.MOST_BYTES, 64).address();
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        final int received = super.receive(
                (high, low, port, trafficClass, address, lengthBytes) -> {
                    synchronized (fuzzer) {
                        fuzzer.capture(address, lengthBytes);
                    }
                    handler.onPacket(high, low, port, trafficClass, address, lengthBytes);
                },
                limit);
        final int made = burst;
        burst = 0;
        for (int i = 0; i < made; i++) {
            final int lengthBytes = fuzzer.next(memory);
            final Gid from = fuzzer.source();
            handler.onPacket(
                    from.subnetPrefix(), from.interfaceId(), fuzzer.sourcePort(), 0, memory, lengthBytes);
        }
        return received + made;
    }

    @Override
    public void close() {
        super.close();
        keep.close();
    }
}
