package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.physical.soft.Carrier;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;

/** Judges each received packet before a QP sees it: shape, ICRC, destination, source. The engine's owner. */
final class PacketInput implements Carrier.PacketHandler {
    private static final int PKEY_BASE_MASK = 0x7fff;

    private final SoftNic nic;
    private final NicCounters counters;
    private final QpTable qps;
    private final Icrc icrc;
    private final boolean verifyIcrc;
    private final long ownHigh;
    private final long ownLow;

    /** Source of the packet being handled, for datagrams. */
    private long sourceHigh;

    private long sourceLow;

    PacketInput(final SoftNic nic, final Carrier carrier, final QpTable qps, final Icrc icrc) {
        this.nic = nic;
        this.qps = qps;
        this.icrc = icrc;
        counters = nic.counters();
        verifyIcrc = nic.config().verifyIcrc();
        final Gid own = carrier.address();
        ownHigh = own.subnetPrefix();
        ownLow = own.interfaceId();
    }

    long sourceHigh() {
        return sourceHigh;
    }

    long sourceLow() {
        return sourceLow;
    }

    @Override
    public void onPacket(
            final long fromHigh, final long fromLow, final int sourcePort, final long packet, final int lengthBytes) {
        if (!nic.isPortUp()) {
            counters.increment(NicCounter.DROP_PORT_DOWN);
            return;
        }
        counters.increment(NicCounter.RX_PACKETS);
        counters.add(NicCounter.RX_BYTES, lengthBytes);
        if (lengthBytes < BthDescriptor.SIZE + Wire.ICRC_BYTES) {
            counters.increment(NicCounter.DROP_MALFORMED);
            return;
        }
        final int opcode = BthDescriptor.opcode(packet);
        final int flags = Opcodes.flags(opcode);
        final int headerBytes = Opcodes.headerBytes(opcode);
        final int payloadLength = lengthBytes - headerBytes - Wire.ICRC_BYTES - BthDescriptor.padBytes(packet);
        if (flags == 0
                || payloadLength < 0
                || payloadLength > 0 && (flags & Opcodes.HAS_PAYLOAD) == 0
                || (lengthBytes & 3) != 0
                || BthDescriptor.transportVersion(packet) != 0
                || (BthDescriptor.pkey(packet) & PKEY_BASE_MASK) != PKEY_BASE_MASK) {
            counters.increment(NicCounter.DROP_MALFORMED);
            return;
        }
        if (verifyIcrc) {
            final int covered = lengthBytes - Wire.ICRC_BYTES;
            if (Icrc.get(packet + covered)
                    != icrc.compute(fromHigh, fromLow, ownHigh, ownLow, sourcePort, packet, covered)) {
                counters.increment(NicCounter.DROP_ICRC);
                return;
            }
        }
        sourceHigh = fromHigh;
        sourceLow = fromLow;
        final int destQp = BthDescriptor.destQp(packet);
        if (destQp == Wire.GSI_QPN) {
            onManagement(opcode, packet, packet + headerBytes, payloadLength);
            return;
        }
        final SoftQp qp = qps.find(destQp);
        if (qp == null || !qp.takes(flags)) {
            counters.increment(NicCounter.DROP_NO_QP);
            return;
        }
        if (!qp.isDatagram() && !qp.isPeer(fromHigh, fromLow)) {
            counters.increment(NicCounter.DROP_WRONG_SOURCE);
            return;
        }
        qp.transport().onPacket(opcode, flags, packet, packet + headerBytes, payloadLength);
    }

    private void onManagement(final int opcode, final long packet, final long mad, final int payloadLength) {
        if (opcode != Opcodes.UD_SEND_ONLY || payloadLength != Wire.MAD_BYTES) {
            counters.increment(NicCounter.DROP_MALFORMED);
            return;
        }
        final long deth = packet + BthDescriptor.SIZE;
        if (DethDescriptor.qkey(deth) != Wire.GSI_QKEY) {
            counters.increment(NicCounter.DROP_QKEY);
            return;
        }
        nic.madArrived(sourceHigh, sourceLow, DethDescriptor.srcQp(deth), mad);
    }
}
