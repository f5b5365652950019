package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Psn;
import io.vhca.physical.soft.wire.Wire;

/** QP1 of a soft device, which carries management datagrams (IB spec vol. 1, 13.5). The engine's owner. */
final class ManagementQp {
    private final Port port;
    private final PacketOutput output;
    private final NicCounters counters;
    private final NicEvents events;
    private long sequence;

    ManagementQp(final Port port, final PacketOutput output, final NicCounters counters, final NicEvents events) {
        this.port = port;
        this.output = output;
        this.counters = counters;
        this.events = events;
    }

    /**
     * Sends a management datagram to QP1 of another port; {@code madAddress} are 256 bytes, copied. One that no way
     * leads to is dropped.
     */
    void send(final Gid destination, final long madAddress) {
        final Path path = port.pathForOne(destination);
        if (path == null) {
            counters.increment(NicCounter.DROP_NO_ROUTE);
            return;
        }
        final long packet = output.buffer();
        final int headerBytes = Opcodes.headerBytes(Opcodes.UD_SEND_ONLY);
        sequence++;
        BthDescriptor.write(packet, Opcodes.UD_SEND_ONLY, false, 0, Wire.GSI_QPN, false, Psn.of(sequence));
        DethDescriptor.write(packet + BthDescriptor.SIZE, Wire.GSI_QKEY, Wire.GSI_QPN);
        NativeMemory.copy(madAddress, packet + headerBytes, Wire.MAD_BYTES);
        output.send(path, headerBytes, Wire.MAD_BYTES);
        port.release(path);
    }

    /** A packet for QP1 arrived. */
    void onPacket(final PacketFlyweight packet) {
        if (packet.opcode() != Opcodes.UD_SEND_ONLY || packet.payloadLength() != Wire.MAD_BYTES) {
            counters.increment(NicCounter.DROP_MALFORMED);
        } else if (packet.qkey() != Wire.GSI_QKEY) {
            counters.increment(NicCounter.DROP_QKEY);
        } else {
            events.mad(packet.sourceHigh(), packet.sourceLow(), packet.srcQp(), packet.payload());
        }
    }
}
