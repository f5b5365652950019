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
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Wire;

/**
 * Where the one packet being sent is built, in the carrier's memory if it has a place for it, and its way to the
 * carrier. The engine's owner.
 */
public final class PacketOutput {
    private final EngineCore core;
    private final Port port;
    private final Carrier carrier;
    private final Icrc icrc = new Icrc();
    private final NicCounters counters;
    private final long sourceHigh;
    private final long sourceLow;
    private final long bufferBytes;
    private final long scratch;
    private long packet;
    private boolean hasGathered;
    private boolean hasAnswers;

    /** Allocates {@link #scratch}; {@link #free} gives it back. */
    public PacketOutput(final EngineCore core, final Port port, final Carrier carrier) {
        this.core = core;
        this.port = port;
        this.carrier = carrier;
        counters = core.counters();
        final Gid source = carrier.address();
        sourceHigh = source.subnetPrefix();
        sourceLow = source.interfaceId();
        bufferBytes = carrier.maxPacketBytes();
        scratch = NativeHeap.allocate(bufferBytes);
        packet = scratch;
    }

    /** Where the next packet is built: headers first, the payload right behind them. */
    public long buffer() {
        assert core.isOwner() : "only the engine's owner builds packets";
        // The carrier of a dead device is closed, and its memory with it.
        final long place = port.isUp() ? carrier.place() : 0;
        packet = place != 0 ? place : scratch;
        return packet;
    }

    /** As long as a packet, for whatever else the engine's owner needs; nobody else's after its duty cycle. */
    public long scratch() {
        return scratch;
    }

    /** A packet of a connection over that path was accepted. */
    public void heard(final Path path, final PacketFlyweight accepted) {
        carrier.heard(path.route(), accepted.sourcePort(), accepted.isFillOffered());
    }

    /** Bytes that make a payload a multiple of 4; the BTH must say so. */
    public static int pad(final int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** As {@link #send}, of a packet that answers a request: its sender waits. */
    public void sendAnswer(final Path path, final int headerBytes, final int payloadBytes) {
        hasAnswers = true;
        send(path, headerBytes, payloadBytes);
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
            NativeMemory.putByte(packet + i, (byte) 0);
        }
        Icrc.put(
                packet + covered,
                icrc.compute(
                        sourceHigh, sourceLow, path.high(), path.low(), carrier.sourcePort(), packet, covered));
        final int lengthBytes = covered + Wire.ICRC_BYTES;
        hasGathered = true;
        if (carrier.send(path.route(), packet, lengthBytes)) {
            counters.increment(NicCounter.TX_PACKETS);
            counters.add(NicCounter.TX_BYTES, lengthBytes);
        } else {
            counters.increment(NicCounter.DROP_CARRIER);
        }
    }

    /** True when something was sent since {@link #flushed}. Any thread; racy. */
    public boolean hasGathered() {
        return hasGathered;
    }

    /** True when answers were sent since {@link #flushed}. */
    public boolean hasAnswers() {
        return hasAnswers;
    }

    /** The carrier was flushed. */
    public void flushed() {
        hasGathered = false;
        hasAnswers = false;
    }

    /** Frees {@link #scratch}. */
    public void free() {
        NativeHeap.free(scratch);
    }
}
