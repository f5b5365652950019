package io.vhca.physical.soft.engine.ud;

import io.vhca.api.AccessFlags;
import io.vhca.api.DeviceStep;
import io.vhca.api.Gid;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.queue.HeldReceive;
import io.vhca.physical.soft.engine.queue.ReceiveQueue;
import io.vhca.physical.soft.engine.queue.RecvWqeDescriptor;
import io.vhca.physical.soft.wire.GrhDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;

/**
 * Puts the datagrams that arrive for one queue pair into its receives, behind a GRH. A datagram that finds no receive,
 * or one that is too small, is dropped and counted. The engine's owner.
 */
final class DatagramReceiver {
    private final NicCounters counters;
    private final PacketOutput output;
    private final QpContext qp;
    private final QpSettings settings;
    private final MemoryDomain domain;
    private final ReceiveQueue receives;
    private final HeldReceive receive;
    private final long ownHigh;
    private final long ownLow;

    DatagramReceiver(final NicCounters counters, final PacketOutput output, final Gid own, final QpContext qp) {
        this.counters = counters;
        this.output = output;
        this.qp = qp;
        settings = qp.settings();
        domain = qp.domain();
        receives = qp.receives();
        receive = new HeldReceive(qp.receives(), qp.srq());
        ownHigh = own.subnetPrefix();
        ownLow = own.interfaceId();
    }

    void onPacket(final PacketFlyweight packet) {
        if (packet.qkey() != settings.qkey()) {
            counters.happened(NicCounter.DROP_QKEY, DeviceStep.DROP_QKEY, packet.destQp(), packet.sequenceNear(0));
            return;
        }
        final int total = GrhDescriptor.SIZE + packet.payloadLength();
        if (receives.isEmpty() || RecvWqeDescriptor.length(receives.front()) < total) {
            counters.happened(
                    NicCounter.DROP_NO_RECEIVE, DeviceStep.DROP_NO_RECEIVE, packet.destQp(), packet.sequenceNear(0));
            return;
        }
        receive.take();
        receive.drop();
        final long grh = output.scratch();
        GrhDescriptor.write(grh, packet, ownHigh, ownLow);
        final boolean isPlaced = scatter(0, grh, GrhDescriptor.SIZE)
                && scatter(GrhDescriptor.SIZE, packet.payload(), packet.payloadLength());
        if (!isPlaced) {
            qp.failReceive(receive.wrId(), WcStatus.LOC_PROT_ERR);
            return;
        }
        qp.completeReceive(
                receive.wrId(),
                WcStatus.SUCCESS,
                WcOpcode.RECV,
                total,
                packet.rawImmediate(),
                packet.srcQp(),
                WcFlags.GRH | (packet.has(Opcodes.HAS_IMM) ? WcFlags.WITH_IMM : 0),
                packet.isSolicited());
    }

    private boolean scatter(final long offset, final long data, final int lengthBytes) {
        return domain.copy(
                receive.sges(), receive.numSge(), offset, data, lengthBytes, AccessFlags.LOCAL_WRITE, true);
    }

    void free() {
        receive.free();
    }
}
