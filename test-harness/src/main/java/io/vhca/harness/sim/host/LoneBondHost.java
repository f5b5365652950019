package io.vhca.harness.sim.host;

import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.verbs.BondMemoryRegion;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.OpenDevice;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.proxy.StandIns;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.Journal;
import java.lang.reflect.Method;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A host whose application opens a bond over one soft RNIC, and whose peer has none: whatever is promised for a soft
 * RNIC alone holds, and nothing more.
 */
final class LoneBondHost extends SoftHost {
    /** Nothing recovers; but a connect waits so long for a member, and scenarios without bonds end soon. */
    private static final long RECOVERY_TIMEOUT_NS = 2_000_000_000L;

    private final HostTurns turns;
    private final BondContext bond;
    private final Context shown;

    LoneBondHost(final Scenario scenario, final Side side, final SimFabric fabric, final SplittableRandom random) {
        super(scenario, side, fabric, random);
        turns = turns();
        final Context member = super.context();
        final BondConfig config = BondConfig.builder("bond0")
                .members(List.of(member.device().name()))
                .unprotected(Unprotected.ALLOW)
                .retryCnt(scenario.transport().retryCnt())
                .ackTimeout(scenario.transport().ackTimeout())
                .recoveryTimeoutNs(RECOVERY_TIMEOUT_NS)
                .build();
        bond = new BondContext(OpenDevice.bond(side.ordinal()), config, List.of(member), Journal.NONE, random.split());
        shown = new PhysicalKeys(bond, member.device().name()).context();
    }

    @Override
    public Context context() {
        return shown;
    }

    @Override
    public int doWork(final long nowNs) {
        final int work = super.doWork(nowNs);
        final ThreadTurns agent = turns.of(HostThread.BOND);
        if (!agent.mayRun(nowNs)) {
            return work;
        }
        final int more = bond.doWork(turns.clockNs(nowNs));
        agent.ran(nowNs);
        return work + more;
    }

    @Override
    public long nextDeadlineNs() {
        return Deadlines.earlier(
                super.nextDeadlineNs(), turns.of(HostThread.BOND).deadlineNs(turns.whenNs(bond.nextDeadlineNs())));
    }

    @Override
    public void close() {
        bond.close();
        super.close();
    }

    /** The application tells its peer the keys of the member: that is what a plain peer needs. */
    private static final class PhysicalKeys extends StandIns {
        private final String member;

        PhysicalKeys(final BondContext bond, final String member) {
            super(bond);
            this.member = member;
        }

        @Override
        protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = super.onPdCall(real, method, arguments);
            return result instanceof BondMemoryRegion region
                    ? stand(MemoryRegion.class, region, (called, given) -> called.getName().equals("rkey")
                            ? (Object) region.rkeyOn(member)
                            : call(region, called, given))
                    : result;
        }
    }
}
