package io.vhca.harness.sim;

import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.lang.foreign.Arena;

/** What one worker thread allocates once and uses for every scenario it runs. */
final class WorkerMemory implements AutoCloseable {
    /** Room for every header of a packet, ICRC included. */
    static final int HEADER_ROOM = 96;

    private static final int MAX_MTU = 2048;
    private static final long APP_BYTES = 16L << 20;
    private static final int PACKET_SLOTS = 4096;
    private static final long LATENCY_NS = 1_000;

    private final Arena arena = Arena.ofShared();
    private final AppMemory[] apps = {new AppMemory(arena, APP_BYTES), new AppMemory(arena, APP_BYTES)};
    private final WrBlock[] wrs = {new WrBlock(arena), new WrBlock(arena)};
    private final SimFabric fabric =
            new SimFabric(new FabricConfig(MAX_MTU + HEADER_ROOM, PACKET_SLOTS, LATENCY_NS, 0));

    AppMemory app(final Side side) {
        return apps[side.ordinal()];
    }

    WrBlock wrs(final Side side) {
        return wrs[side.ordinal()];
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
