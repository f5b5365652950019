package io.vhca.harness.sim;

import io.vhca.harness.sim.app.AppMemory;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.host.SoftMember;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.lang.foreign.Arena;

/** What one worker thread allocates once and uses for every scenario it runs. */
final class WorkerMemory implements AutoCloseable {
    private static final int MAX_MTU = 2048;
    private static final int PACKET_SLOTS = 4096;
    private static final long LATENCY_NS = 1_000;

    private final Arena arena = Arena.ofShared();
    private final PerSide<AppMemory> apps = PerSide.each(side -> new AppMemory(arena));
    private final SimFabric fabric =
            new SimFabric(new FabricConfig(MAX_MTU + SoftMember.HEADER_ROOM, PACKET_SLOTS, LATENCY_NS, 0));

    /** The memory of both applications, all of it free. */
    PerSide<AppMemory> apps() {
        apps.left().reset();
        apps.right().reset();
        return apps;
    }

    SimFabric fabric() {
        return fabric;
    }

    @Override
    public void close() {
        fabric.close();
        arena.close();
    }
}
