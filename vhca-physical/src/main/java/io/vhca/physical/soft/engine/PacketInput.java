package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.port.SenderIdentifications;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpTable;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.IpIdentification;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Wire;

/**
 * Checks each received packet (shape, ICRC, destination, source) and gives it to its queue pair. Whatever a packet
 * makes the engine throw, an assertion included, costs that packet. The engine's owner.
 */
final class PacketInput implements Carrier.PacketHandler {
    private final Port port;
    private final EngineCore core;
    private final NicCounters counters;
    private final QpTable qps;
    private final ManagementQp management;
    private final Icrc icrc = new Icrc();
    private final SenderIdentifications senders = new SenderIdentifications();
    private final PacketFlyweight packet = new PacketFlyweight();
    private final boolean verifyIcrc;
    private final long ownHigh;
    private final long ownLow;
    private final boolean isIpv4;

    PacketInput(final EngineCore core, final Port port, final QpTable qps, final ManagementQp management) {
        this.core = core;
        this.port = port;
        this.qps = qps;
        this.management = management;
        counters = core.counters();
        verifyIcrc = core.config().verifyIcrc();
        final Gid own = port.address();
        ownHigh = own.subnetPrefix();
        ownLow = own.interfaceId();
        isIpv4 = Icrc.isIpv4(ownHigh, ownLow);
    }

    @Override
    public void onPacket(
            final long fromHigh, final long fromLow, final int sourcePort, final long address, final int lengthBytes) {
        try {
            take(fromHigh, fromLow, sourcePort, address, lengthBytes);
        } catch (final RuntimeException | Error e) {
            counters.packetFault(e);
        }
    }

    private void take(
            final long fromHigh, final long fromLow, final int sourcePort, final long address, final int lengthBytes) {
        if (!port.isUp()) {
            counters.increment(NicCounter.DROP_PORT_DOWN);
            return;
        }
        counters.increment(NicCounter.RX_PACKETS);
        counters.add(NicCounter.RX_BYTES, lengthBytes);
        if (!packet.wrap(address, lengthBytes, fromHigh, fromLow)) {
            counters.increment(NicCounter.DROP_MALFORMED);
            return;
        }
        if (verifyIcrc && !isIntact(fromHigh, fromLow, sourcePort, address, lengthBytes - Wire.ICRC_BYTES)) {
            return;
        }
        final int destQp = packet.destQp();
        if (destQp == Wire.GSI_QPN) {
            management.onPacket(packet);
            return;
        }
        final QpContext qp = qps.find(destQp);
        if (qp == null || !qp.takes(packet)) {
            counters.increment(NicCounter.DROP_NO_QP);
        } else if (!qp.isFromPeer(packet)) {
            counters.increment(NicCounter.DROP_WRONG_SOURCE);
        } else {
            qp.transport().onPacket(packet);
        }
    }

    /** True when the ICRC is right; otherwise it is counted why not. */
    private boolean isIntact(
            final long fromHigh, final long fromLow, final int sourcePort, final long address, final int covered) {
        final int difference = Icrc.get(address + covered)
                ^ icrc.compute(fromHigh, fromLow, ownHigh, ownLow, sourcePort, address, covered);
        if (difference == 0) {
            if (isIpv4) {
                senders.zero(fromHigh, fromLow, core.nowNs());
            }
            return true;
        }
        final int identification = isIpv4 ? IpIdentification.solve(difference, covered) : IpIdentification.NONE;
        if (identification == IpIdentification.NONE) {
            counters.increment(NicCounter.DROP_ICRC);
            return false;
        }
        if (!senders.isPlausible(fromHigh, fromLow, identification, core.nowNs())) {
            counters.increment(NicCounter.DROP_IDENTIFICATION);
            return false;
        }
        counters.increment(NicCounter.RX_IDENTIFIED);
        return true;
    }
}
