package io.vhca.harness.sim.host;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.harness.frozen.FirstVersionMember;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.OpenDevice;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.defect.Defect;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.proxy.PostWatch;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A host whose application opens a bond over several soft RNICs. */
final class BondHost implements SimHost {
    private static final int ALIAS_SUBNET = 9;

    private final Side side;
    private final HostTurns turns;
    private final SoftMember[] members;
    private final StringBuilder journal = new StringBuilder(0);
    private final PostWatch watch;
    private final RecoveryCounts recoveries = new RecoveryCounts();
    private final Defect defect;
    private final Violations violations;
    private final boolean isOld;
    private final BondContext bond;
    private final Context shown;
    /** When the bond wants its next turn by itself, by the host's clock; stands while the host is calm. */
    private long bondDeadlineNs = Deadlines.NONE;

    BondHost(
            final Scenario scenario, final Side side, final SimFabric fabric, final Defect defect,
            final boolean isRecorded, final boolean isAnew, final Violations violations,
            final SplittableRandom random) {
        this.side = side;
        this.violations = violations;
        isOld = scenario.has(Trait.oldBond(side)) && !isAnew;
        turns = new HostTurns(scenario.seed(), side);
        this.defect = defect;
        members = new SoftMember[scenario.members(side)];
        final Journal sink = isRecorded ? this::append : Journal.NONE;
        watch = new PostWatch(side, scenario.ledger(), scenario.mayReplayWrites(), violations, sink);
        final List<Context> contexts = new ArrayList<>(members.length);
        for (int i = 0; i < members.length; i++) {
            members[i] = new SoftMember(scenario, side, i, fabric, random.split());
            contexts.add(watch.watch(defect.member(inVersion(members[i].context()))));
        }
        try (KeyOfScenario key = new KeyOfScenario(scenario)) {
            bond = new BondContext(
                    OpenDevice.bond(side.ordinal()), config(scenario, key), contexts, new Source(), watch,
                    random.split(), defect.rewind(), isOld ? 1 : PrefixDescriptor.VERSION);
        }
        bond.admin().observe(recoveries);
        shown = defect.bond(bond);
    }

    /** The device of a bond that speaks an older version, or that device itself. */
    private Context inVersion(final Context device) {
        return isOld
                ? new FirstVersionMember(device, what -> violations.report("version 1", side.label(), what)).context()
                : device;
    }

    private BondConfig config(final Scenario scenario, final KeyOfScenario key) {
        final PerSide<BondOptions> drawn = Objects.requireNonNull(scenario.bonds(), "the scenario has bonds");
        final Side peer = side.other();
        final List<String> addresses = new ArrayList<>(scenario.members(peer));
        for (int i = 0; i < scenario.members(peer); i++) {
            addresses.add(SoftMember.address(scenario, peer, i).getHostAddress());
        }
        final Map<String, String> more = new LinkedHashMap<>(key.options());
        more.put("alias", alias(side).getHostAddress());
        more.put("peer." + alias(peer).getHostAddress(), String.join(",", addresses));
        return defect.options(drawn.of(side)).config(more);
    }

    /** The devices of this host. */
    private final class Source implements MemberSource {
        /** The device that was lost, where it is back. */
        @Override
        public Context open(final Device lost, final Set<String> siblings) {
            return open(lost.name());
        }

        @Override
        public Context open(final String name) {
            for (final SoftMember member : members) {
                if (member.device().name().equals(name)) {
                    return watch.watch(inVersion(member.reopen()));
                }
            }
            throw new VerbsException("openDevice", Errno.ENODEV, name, "no device of this host");
        }
    }

    private static InetAddress alias(final Side side) {
        return SoftMember.address(ALIAS_SUBNET, side.ordinal());
    }

    private void append(final JournalEvent event) {
        journal.append("    ").append(event.format()).append('\n');
    }

    @Override
    public Context context() {
        return shown;
    }

    @Override
    public InetSocketAddress address(final int port) {
        return new InetSocketAddress(alias(side), port);
    }

    @Override
    public int doWork(final long nowNs) {
        final long clockNs = turns.clockNs(nowNs);
        int work = 0;
        final ThreadTurns agents = turns.of(HostThread.DEVICES);
        if (agents.mayRun(nowNs)) {
            for (final SoftMember member : members) {
                work += member.doWork(clockNs);
            }
            agents.ran(nowNs);
        }
        if (work > 0) {
            turns.stir();
        }
        return work + turnOfBond(nowNs, clockNs);
    }

    /** The bond's thread sleeps until something happens on its host or its time has come, as it does in a process. */
    private int turnOfBond(final long nowNs, final long clockNs) {
        if (!turns.isStirred() && !Deadlines.isDue(bondDeadlineNs, clockNs)) {
            return 0;
        }
        final ThreadTurns agent = turns.of(HostThread.BOND);
        if (!agent.mayRun(nowNs)) {
            return 0;
        }
        turns.calm();
        final int work = bond.doWork(clockNs);
        if (work > 0) {
            turns.stir();
        }
        if (!turns.isStirred()) { // else it is asked when it is needed
            bondDeadlineNs = bond.nextDeadlineNs();
        }
        agent.ran(nowNs);
        return work;
    }

    @Override
    public long nextDeadlineNs() {
        long next = Deadlines.NONE;
        for (final SoftMember member : members) {
            next = Deadlines.earlier(next, member.nextDeadlineNs());
        }
        final long ofBondNs = turns.isStirred() ? bond.nextDeadlineNs() : bondDeadlineNs;
        return Deadlines.earlier(
                turns.of(HostThread.DEVICES).deadlineNs(turns.whenNs(next)),
                turns.of(HostThread.BOND).deadlineNs(turns.whenNs(ofBondNs)));
    }

    @Override
    public int members() {
        return members.length;
    }

    @Override
    public String placeOf(final QueuePair qp) {
        return bond.admin().path(qp);
    }

    @Override
    public @Nullable QueuePair carrierOf(final QueuePair qp) {
        return qp instanceof BondQueuePair own && QpRecovery.of(own).healthyLink() != null
                ? own.lifecycle().attachment().physical() : null;
    }

    @Override
    public boolean isRecovering(final QueuePair qp) {
        final int wanted = qp.qpNum();
        final boolean[] found = new boolean[1];
        bond.admin().visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) ->
                found[0] |= qpNum == wanted && recovery != null && recovery != RecoveryState.IDLE
                        && recovery != RecoveryState.CONNECTED);
        return found[0];
    }

    @Override
    public void portUp(final int member, final boolean isUp) {
        members[member].port().up(isUp);
    }

    @Override
    public int portIndex(final int member) {
        return members[member].port().index();
    }

    @Override
    public void drain(final int member, final boolean isDrained) {
        final String name = members[member].context().device().name();
        operate(isDrained ? () -> bond.admin().drain(name) : () -> bond.admin().resume(name));
    }

    @Override
    public void remove(final int member, final boolean isRemoved) {
        final String name = members[member].device().name();
        if (isRemoved) {
            operate(() -> bond.admin().remove(name));
        } else if (status(name) != null) {
            operate(() -> bond.admin().resume(name));
        } else if (!members[member].isDead()) {
            bond.admin().add(name);
        }
    }

    private @Nullable MemberStatus status(final String name) {
        return bond.admin().members().stream()
                .filter(member -> member.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    @Override
    public void activate(final int member) {
        operate(() -> bond.admin().activate(members[member].context().device().name()));
    }

    /** An operator is told no when it cannot be now; anything else is a defect. */
    private static void operate(final Runnable order) {
        try {
            order.run();
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EBUSY && e.errno() != Errno.ENETDOWN && e.errno() != Errno.EINVAL) {
                throw e;
            }
        }
    }

    @Override
    public void hangSenders(final int member) {
        members[member].hangSenders();
    }

    @Override
    public void failSenders(final int member) {
        members[member].device().failSenders();
    }

    @Override
    public void moveGid(final int member) {
        members[member].moveGid();
    }

    @Override
    public void shrinkMtu(final int member, final boolean isSmall) {
        members[member].shrinkMtu(isSmall);
    }

    @Override
    public void killDevice(final int member) {
        members[member].kill();
    }

    @Override
    public void reviveDevice(final int member) {
        members[member].revive();
    }

    @Override
    public HostTurns turns() {
        return turns;
    }

    @Override
    public void forget(final QueuePair qp) {
        watch.forget(qp.qpNum());
    }

    @Override
    public String missing() {
        for (final SoftMember member : members) {
            final MemberStatus known = status(member.device().name());
            if (!member.isDead() && known != null && !known.up()) {
                return known.name();
            }
        }
        return "";
    }

    @Override
    public void killProcess() {
        for (final SoftMember member : members) {
            member.port().kill();
        }
    }

    @Override
    public HostCounts counts() {
        return new HostCounts(
                bond.counters().get(Counter.RECOVERED),
                bond.counters().get(Counter.STANDBY_TAKEN),
                bond.counters().get(Counter.NEGOTIATED),
                bond.counters().get(Counter.REPLAYED));
    }

    @Override
    public String drainJournal() {
        final String lines = journal.toString();
        journal.setLength(0);
        return lines;
    }

    @Override
    public void beforeClose() {
        recoveries.judge(bond.counters(), side.label(), violations);
        defect.beforeClose();
    }

    @Override
    public void close() {
        bond.close();
        for (final SoftMember member : members) {
            member.close();
        }
    }
}
