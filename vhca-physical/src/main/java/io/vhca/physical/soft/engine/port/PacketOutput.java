package io.vhca.physical.soft.engine.port;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NativeHeap;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Wire;

/** The buffer in which the one packet being sent is built, and its way to the carrier. The engine's owner. */
public final class PacketOutput {
    private final EngineCore core;
    private final Port port;
    private final Carrier carrier;
    private final Icrc icrc = new Icrc();
    private final NicCounters counters;
    private final long sourceHigh;
    private final long sourceLow;
    private final long bufferBytes;
    private final long buffer;

    /** Allocates the buffer; {@link #free} gives it back. */
    public PacketOutput(final EngineCore core, final Port port, final Carrier carrier) {
        this.core = core;
        this.port = port;
        this.carrier = carrier;
        counters = core.counters();
        final Gid source = carrier.address();
        sourceHigh = source.subnetPrefix();
        sourceLow = source.interfaceId();
        bufferBytes = carrier.maxPacketBytes();
        buffer = NativeHeap.allocate(bufferBytes);
    }

    /** Where the packet is built: headers first, the payload right behind them. */
    public long buffer() {
        assert core.isOwner() : "only the engine's owner builds packets";
        return buffer;
    }

    /** Bytes that make a payload a multiple of 4; the BTH must say so. */
    public static int pad(final int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** Completes the packet with pad and ICRC and hands it to the carrier; what the carrier does not take is lost. */
    public void send(final Path path, final int headerBytes, final int payloadBytes) {
        if (!port.isUp()) {
            counters.increment(NicCounter.DROP_PORT_DOWN);
            return;
        }
        if (path.sgidIndex() != port.gidIndex() || payloadBytes > port.mtu().bytes()) {
            counters.increment(NicCounter.DROP_PORT_CHANGED);
            return;
        }
        final int unpadded = headerBytes + payloadBytes;
        final int covered = unpadded + pad(payloadBytes);
        assert covered + Wire.ICRC_BYTES <= bufferBytes : "the packet is longer than its buffer";
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

    /** Frees the buffer. */
    public void free() {
        NativeHeap.free(buffer);
    }
}
