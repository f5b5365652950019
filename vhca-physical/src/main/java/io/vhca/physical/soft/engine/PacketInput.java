package io.vhca.physical.soft.engine;

import io.vhca.api.DeviceStep;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.port.IcrcCheck;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpTable;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Wire;

/**
 * Checks each received packet (shape, ICRC, destination, source) and gives it to its queue pair. Whatever a packet
 * makes the engine throw, an assertion included, costs that packet. The engine's owner.
 */
final class PacketInput implements Carrier.PacketHandler {
    private final Port port;
    private final NicCounters counters;
    private final QpTable qps;
    private final ManagementQp management;
    private final IcrcCheck icrc;
    private final PacketFlyweight packet = new PacketFlyweight();

    PacketInput(final EngineCore core, final Port port, final QpTable qps, final ManagementQp management) {
        this.port = port;
        this.qps = qps;
        this.management = management;
        counters = core.counters();
        icrc = new IcrcCheck(core, port);
    }

    @Override
    public void onPacket(
            final long fromHigh, final long fromLow, final int sourcePort, final int trafficClass, final long address,
            final int lengthBytes) {
        try {
            packet.trafficClass(trafficClass);
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
        if (!packet.wrap(address, lengthBytes, fromHigh, fromLow, sourcePort)) {
            counters.increment(NicCounter.DROP_MALFORMED);
            return;
        }
        if (!icrc.isIntact(fromHigh, fromLow, sourcePort, address, lengthBytes)) {
            return;
        }
        final int destQp = packet.destQp();
        if (destQp == Wire.GSI_QPN) {
            management.onPacket(packet);
            return;
        }
        final QpContext qp = qps.find(destQp);
        if (qp == null || !qp.takes(packet)) {
            counters.happened(NicCounter.DROP_NO_QP, DeviceStep.DROP_NO_QP, destQp, packet.sequenceNear(0));
        } else if (!qp.isFromPeer(packet)) {
            counters.happened(
                    NicCounter.DROP_WRONG_SOURCE, DeviceStep.DROP_WRONG_SOURCE, destQp, packet.sequenceNear(0));
        } else {
            qp.onPacket(packet);
        }
    }
}
