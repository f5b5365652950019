package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.SrqAttributes;
import io.vhca.harness.sim.check.LeakChecker;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/** What one simulated application opens for all its queue pairs: protection domain, CQs, SRQ, the word they share. */
final class AppObjects {
    private final Scenario scenario;
    private final Context context;
    private final LeakChecker resources;
    private final ProtectionDomain pd;
    private final MemoryRegion commonWord;
    private final AppCqs cqs;
    private final @Nullable SharedReceives shared;

    AppObjects(
            final Side side, final Scenario scenario, final Context context, final AppMemory memory,
            final Violations violations) {
        this.scenario = scenario;
        this.context = context;
        resources = new LeakChecker(side.label() + " application", violations);
        pd = resources.opened(context.allocPd());
        commonWord = resources.opened(pd.regMr(
                memory.allocate(Long.BYTES).fill((byte) 0), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC));
        final int depth = scenario.sharedReceives().of(side);
        shared = depth == 0 ? null : createSharedReceives(depth, memory, side.label() + " SRQ", violations);
        cqs = new AppCqs(
                context, scenario, depth, scenario.datagrams().count().of(side) * scenario.datagrams().depth(),
                resources);
    }

    private SharedReceives createSharedReceives(
            final int depth, final AppMemory memory, final String where, final Violations violations) {
        int slotBytes = 1;
        for (final QpScenario qp : scenario.qps()) {
            slotBytes = Math.max(slotBytes, qp.maxMessageBytes());
        }
        final MemoryRegion buffers = resources.opened(
                pd.regMr(memory.allocate((long) depth * slotBytes), AccessFlags.LOCAL_WRITE));
        return new SharedReceives(
                resources.opened(pd.createSrq(new SrqAttributes(depth, 1, 0))), buffers, slotBytes, memory.wrs(),
                scenario.isBond(), where, violations);
    }

    /** The device. */
    Context context() {
        return context;
    }

    /** Closes them, and whatever else is opened over them. */
    LeakChecker resources() {
        return resources;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** The word that atomics of all connections to this side share. */
    MemoryRegion commonWord() {
        return commonWord;
    }

    AppCqs cqs() {
        return cqs;
    }

    /** The receives that all queue pairs share; null where each has its own. */
    @Nullable SharedReceives shared() {
        return shared;
    }

    /** What the queue pair of a connection is made with. */
    QpInitAttributes qpAttributes(final int index) {
        final QpScenario qp = scenario.qps().get(index);
        final QpScenario room = scenario.roomOf(index);
        final int recvDepth = shared == null ? room.recvDepth() : 0;
        final QpCapabilities cap =
                new QpCapabilities(room.sendDepth(), recvDepth, room.maxSge(), room.maxSge(), room.maxInline());
        // The simulation is one thread, so all of them could say so.
        return new QpInitAttributes(
                cqs.sends(index), cqs.recvs(index), shared == null ? null : shared.srq(), cap, QpType.RC,
                qp.isSignalAll(), index % 2 == 1);
    }
}
