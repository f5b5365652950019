package io.vhca.harness.sim.host;

import io.vhca.api.Gid;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.Attack;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.FaultyHost;
import io.vhca.harness.sim.fault.PortMap;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import io.vhca.physical.soft.fabric.FaultModel;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The two hosts of a scenario, and the hosts of processes that were started again. They are what faults act upon.
 *
 * <p>The simulator's thread.
 */
public final class Machines implements FaultTarget {
    private static final int FIRST_STREAM = 10;
    private static final int ATTACKER_STREAM = 9;

    private final Scenario scenario;
    private final Mutation mutation;
    private final SimFabric fabric;
    private final boolean isRecorded;
    private final Violations violations;
    private final PortMap ports = new PortMap(SimFabric.MAX_PORTS);
    private final PerSide<SimHost> hosts;
    private long lastNs;
    private final Set<Side> dead = EnumSet.noneOf(Side.class);
    private final List<SimHost> restarted = new ArrayList<>(0);
    private @Nullable Attacker attacker;
    private final Eavesdropper eavesdropper;

    /**
     * Adds both hosts to the fabric.
     *
     * @param mutation   how their bonds are broken on purpose
     * @param isRecorded keep the bonds' journals
     * @param violations where what the hosts are seen to do wrong is reported
     */
    public Machines(
            final Scenario scenario, final Mutation mutation, final SimFabric fabric, final boolean isRecorded,
            final Violations violations) {
        this.scenario = scenario;
        this.mutation = mutation;
        this.fabric = fabric;
        this.isRecorded = isRecorded;
        this.violations = violations;
        hosts = PerSide.each(side -> create(side, false));
        separate(hosts.left(), hosts.right());
        eavesdropper = new Eavesdropper(fabric, port -> ports.side(port) == null);
    }

    /** What judges the packets, and where a fault asks for it, somebody who keeps copies of them. */
    public FaultModel heard(final FaultModel faults) {
        return scenario.has(Effect.PACKETS_ARE_SEEN) ? eavesdropper.before(faults) : faults;
    }

    private SimHost create(final Side side, final boolean isAnew) {
        final SplittableRandom random = Draws.stream(scenario.seed(), FIRST_STREAM + fabric.portCount());
        final SimHost host = scenario.isBond()
                ? new BondHost(
                        scenario, side, fabric, mutation.plant(), isRecorded, isAnew, violations, random)
                : scenario.has(Trait.loneBond(side))
                        ? new LoneBondHost(scenario, side, fabric, random)
                        : new SoftHost(scenario, side, fabric, random);
        for (int member = 0; member < host.members(); member++) {
            ports.add(host.portIndex(member), side, member);
        }
        return host;
    }

    private void separate(final SimHost one, final SimHost other) {
        for (int member = 0; member < one.members(); member++) {
            for (int peer = 0; peer < other.members(); peer++) {
                if (!scenario.isRouted(member, peer)) {
                    fabric.block(one.portIndex(member), other.portIndex(peer), true);
                    fabric.block(other.portIndex(peer), one.portIndex(member), true);
                }
            }
        }
    }

    /** Whose port each index of the fabric is. */
    public PortMap ports() {
        return ports;
    }

    /** Something happened that is nobody's turn: an operator, a fault, the stage's own calls. All bonds look. */
    public void stir() {
        for (final Side side : Side.BOTH) {
            of(side).turns().stir();
        }
        restarted.forEach(host -> host.turns().stir());
    }

    /** The host that a side had from the start. */
    public SimHost of(final Side side) {
        return hosts.of(side);
    }

    /** True once that side's process was killed. */
    public boolean isDead(final Side side) {
        return dead.contains(side);
    }

    /** True while no process was killed. */
    public boolean areAlive() {
        return dead.isEmpty();
    }

    /** What the bonds did, those of dead processes included. */
    public HostCounts counts() {
        return hosts.left().counts().plus(hosts.right().counts());
    }

    /** What strangers sent under others' addresses. */
    public Map<Feature, Integer> spoofed() {
        return attacker == null ? Map.of() : attacker.spoofer().sent();
    }

    /** Does what is due on hosts that came later: started again, or nobody's. Returns how much that was. */
    public int doWorkOfOthers(final long nowNs) {
        int work = attacker == null ? 0 : attacker.doWork(nowNs);
        lastNs = nowNs;
        for (final SimHost host : restarted) {
            work += host.doWork(nowNs);
        }
        return work;
    }

    /** When any host has something to do next, packets aside; {@link Deadlines#NONE} for never. */
    public long nextDeadlineNs() {
        long next = Deadlines.NONE;
        for (final Side side : Side.BOTH) {
            if (!isDead(side)) {
                next = Deadlines.earlier(next, of(side).nextDeadlineNs());
            }
        }
        if (attacker != null) {
            next = Deadlines.earlier(next, attacker.nextDeadlineNs());
        }
        for (final SimHost host : restarted) {
            next = Deadlines.earlier(next, host.nextDeadlineNs());
        }
        return next;
    }

    /** Closes the hosts that came later. */
    public void closeOthers() {
        if (attacker != null) {
            attacker.close();
        }
        for (final SimHost host : restarted) {
            host.beforeClose();
            host.close();
        }
    }

    @Override
    public void portUp(final Side side, final int member, final boolean isUp) {
        of(side).portUp(member, isUp);
    }

    @Override
    public void routes(final Side side, final int member, final boolean areThere) {
        fabric.port(of(side).portIndex(member)).routes(areThere);
    }

    @Override
    public void blockTransmit(final Side side, final int member, final boolean isBlocked) {
        final int from = of(side).portIndex(member);
        final SimHost peer = of(side.other());
        for (int other = 0; other < peer.members(); other++) {
            fabric.block(from, peer.portIndex(other), isBlocked || !scenario.isRouted(member, other));
        }
    }

    @Override
    public void pauseTransmit(final Side side, final int member, final int priorities, final boolean isPaused) {
        final FabricPort port = fabric.port(of(side).portIndex(member));
        if (isPaused) {
            port.pause(priorities);
        } else {
            port.resume(priorities);
        }
    }

    @Override
    public void onHost(final Side side, final Consumer<FaultyHost> action) {
        if (!isDead(side)) {
            action.accept(of(side));
        }
    }

    @Override
    public void attack(final Side asked, final Attack attack) {
        Attacker stranger = attacker;
        if (stranger == null) {
            ports.addForeign(fabric.portCount());
            stranger = new Attacker(
                    fabric, lastNs, Draws.stream(scenario.seed(), ATTACKER_STREAM), violations, eavesdropper);
            attacker = stranger;
        }
        final boolean isToServer = asked == Side.RIGHT;
        switch (attack) {
            case ASK -> stranger.attack(addresses(asked));
            case SPOOF -> stranger.spoofer().forge(gids(asked), gids(asked.other()), isToServer, lastNs);
            case REPLAY -> stranger.spoofer().replay(gids(asked), isToServer, lastNs);
        }
    }

    private List<InetAddress> addresses(final Side side) {
        final List<InetAddress> members = new ArrayList<>();
        for (int member = 0; member < scenario.members(side); member++) {
            members.add(SoftMember.address(scenario, side, member));
        }
        return members;
    }

    private List<Gid> gids(final Side side) {
        return addresses(side).stream().map(Gid::of).toList();
    }

    @Override
    public void killProcess(final Side side) {
        if (dead.add(side)) {
            of(side).killProcess();
        }
    }

    @Override
    public void restartProcess(final Side side) {
        final SimHost host = create(side, true); // of the newest version, whatever it was
        separate(host, of(side.other()));
        restarted.add(host);
    }
}
