package io.vhca.harness.sim.host;

import io.vhca.api.NativeMemory;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.physical.soft.fabric.FaultModel;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.physical.soft.fabric.Verdict;
import io.vhca.physical.soft.wire.Wire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Somebody on the path who keeps copies of what passes: the last messages of the connection manager, and the last short
 * packets of connections, which those of the bonds' own links are among. It judges nothing.
 *
 * <p>The simulator's thread.
 */
final class Eavesdropper implements FaultModel {
    private static final int MOST_KEPT = 256;
    private static final int LONGEST = 320;

    private FaultModel faults = FaultModel.NONE;
    private final SimFabric fabric;
    private final IntPredicate isForeign;
    private final Deque<Passed> messages = new ArrayDeque<>();
    private final Deque<Passed> packets = new ArrayDeque<>();

    /**
     * A packet that passed.
     *
     * @param isDelivered it was not lost
     */
    record Passed(Sighting sighting, long atNs, boolean isDelivered) {}

    /** @param isForeign true for ports whose packets are not looked at */
    Eavesdropper(final SimFabric fabric, final IntPredicate isForeign) {
        this.fabric = fabric;
        this.isForeign = isForeign;
    }

    /** From now on that judges the packets, and this one sees what becomes of them. */
    FaultModel before(final FaultModel judging) {
        faults = judging;
        return this;
    }

    @Override
    public long judge(
            final int from, final int to, final int trafficClass, final long packetAddress, final int lengthBytes,
            final long nowNs) {
        final long verdict = faults.judge(from, to, trafficClass, packetAddress, lengthBytes, nowNs);
        if (lengthBytes <= LONGEST && !isForeign.test(from) && !isForeign.test(to)) {
            final byte[] packet = new byte[lengthBytes - Wire.ICRC_BYTES];
            for (int i = 0; i < packet.length; i++) {
                packet[i] = NativeMemory.getByte(packetAddress + i);
            }
            final PacketForge.Header header = PacketForge.header(packet);
            if (header != null) {
                keep(
                        header.destQp() == Wire.GSI_QPN ? messages : packets,
                        new Passed(
                                new Sighting(fabric.port(from).address(), fabric.port(to).address(), packet),
                                nowNs, !Verdict.isDrop(verdict)));
            }
        }
        return verdict;
    }

    private static void keep(final Deque<Passed> kept, final Passed one) {
        kept.addLast(one);
        if (kept.size() > MOST_KEPT) {
            kept.removeFirst();
        }
    }

    /** Messages of the connection manager, the latest last. */
    List<Passed> messages() {
        return new ArrayList<>(messages);
    }

    /** Packets of connections, the latest last. */
    List<Passed> packets() {
        return new ArrayList<>(packets);
    }
}
