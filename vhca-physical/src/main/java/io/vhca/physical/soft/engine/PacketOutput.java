package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.Carrier;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Wire;

/** The one packet being built, and its way out. The engine's owner. */
final class PacketOutput {
    private final SoftNic nic;
    private final Carrier carrier;
    private final Icrc icrc;
    private final NicCounters counters;
    private final long sourceHigh;
    private final long sourceLow;
    private final long buffer;

    PacketOutput(final SoftNic nic, final Carrier carrier, final Icrc icrc) {
        this.nic = nic;
        this.carrier = carrier;
        this.icrc = icrc;
        counters = nic.counters();
        final Gid source = carrier.address();
        sourceHigh = source.subnetPrefix();
        sourceLow = source.interfaceId();
        buffer = NativeHeap.allocate(carrier.maxPacketBytes());
    }

    /** Where the packet is built: headers first, the payload right behind. */
    long buffer() {
        return buffer;
    }

    /** Bytes that make a payload a multiple of 4; the BTH must say so. */
    static int pad(final int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** Completes the packet with pad and ICRC and hands it to the carrier; not taken means lost. */
    void send(final Path path, final int headerBytes, final int payloadBytes) {
        if (!nic.isPortUp()) {
            counters.increment(NicCounter.DROP_PORT_DOWN);
            return;
        }
        if (path.sgidIndex() != nic.gidIndex() || payloadBytes > nic.portMtu().bytes()) {
            counters.increment(NicCounter.DROP_PORT_CHANGED);
            return;
        }
        final int unpadded = headerBytes + payloadBytes;
        final int covered = unpadded + pad(payloadBytes);
        for (int i = unpadded; i < covered; i++) {
            NativeMemory.putByte(buffer + i, (byte) 0);
        }
        Icrc.put(
                buffer + covered,
                icrc.compute(
                        sourceHigh, sourceLow, path.high(), path.low(), carrier.sourcePort(), buffer, covered));
        final int lengthBytes = covered + Wire.ICRC_BYTES;
        if (carrier.send(path.route(), buffer, lengthBytes)) {
            counters.increment(NicCounter.TX_PACKETS);
            counters.add(NicCounter.TX_BYTES, lengthBytes);
        } else {
            counters.increment(NicCounter.DROP_CARRIER);
        }
    }

    void free() {
        NativeHeap.free(buffer);
    }
}
