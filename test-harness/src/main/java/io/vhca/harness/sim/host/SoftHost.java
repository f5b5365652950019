package io.vhca.harness.sim.host;

import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.physical.soft.fabric.SimFabric;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;

/** A host whose application opens a single soft RNIC, without a bond. */
class SoftHost implements SimHost {
    private final Side side;
    private final HostTurns turns;
    private final SoftMember member;

    SoftHost(final Scenario scenario, final Side side, final SimFabric fabric, final SplittableRandom random) {
        this.side = side;
        turns = new HostTurns(scenario.seed(), side);
        member = new SoftMember(scenario, side, 0, fabric, random);
    }

    @Override
    public Context context() {
        return member.context();
    }

    @Override
    public InetSocketAddress address(final int port) {
        return new InetSocketAddress(SoftMember.address(side.ordinal(), 0), port);
    }

    @Override
    public int doWork(final long nowNs) {
        final ThreadTurns agent = turns.of(HostThread.DEVICES);
        if (!agent.mayRun(nowNs)) {
            return 0;
        }
        final int work = member.doWork(turns.clockNs(nowNs));
        agent.ran(nowNs);
        return work;
    }

    @Override
    public long nextDeadlineNs() {
        return turns.of(HostThread.DEVICES).deadlineNs(turns.whenNs(member.nextDeadlineNs()));
    }

    @Override
    public int members() {
        return 1;
    }

    @Override
    public boolean isRecovering(final QueuePair qp) {
        return false;
    }

    @Override
    public String placeOf(final QueuePair qp) {
        return "";
    }

    @Override
    public void portUp(final int index, final boolean isUp) {
        member.port().up(isUp);
    }

    @Override
    public int portIndex(final int index) {
        return member.port().index();
    }

    @Override
    public void drain(final int index, final boolean isDrained) {
        throw new UnsupportedOperationException("there is one member only");
    }

    @Override
    public void remove(final int index, final boolean isRemoved) {
        throw new UnsupportedOperationException("there is one member only");
    }

    @Override
    public void activate(final int index) {
        throw new UnsupportedOperationException("there is one member only");
    }

    @Override
    public void hangSenders(final int index) {
        throw new UnsupportedOperationException("without a bond nothing gets over that");
    }

    @Override
    public void failSenders(final int index) {
        throw new UnsupportedOperationException("without a bond nothing gets over that");
    }

    @Override
    public void moveGid(final int index) {
        throw new UnsupportedOperationException("without a bond nothing gets over that");
    }

    @Override
    public void shrinkMtu(final int index, final boolean isSmall) {
        throw new UnsupportedOperationException("without a bond nothing gets over that");
    }

    @Override
    public void killDevice(final int index) {
        member.kill();
    }

    @Override
    public void reviveDevice(final int index) {
        // Without a bond nobody opens it again.
    }

    @Override
    public HostTurns turns() {
        return turns;
    }

    @Override
    public void forget(final QueuePair qp) {
        // Nothing is remembered.
    }

    @Override
    public String missing() {
        return "";
    }

    @Override
    public void killProcess() {
        member.port().kill();
    }

    @Override
    public HostCounts counts() {
        return HostCounts.NONE;
    }

    @Override
    public String drainJournal() {
        return "";
    }

    @Override
    public void beforeClose() {
        // Nothing is kept back.
    }

    @Override
    public void close() {
        member.close();
    }
}
