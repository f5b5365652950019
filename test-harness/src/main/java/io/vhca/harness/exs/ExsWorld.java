package io.vhca.harness.exs;

import io.vhca.api.Context;
import io.vhca.exs.ExsSocket;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.FaultScript;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.kind.FaultTable;
import io.vhca.harness.sim.host.Machines;
import io.vhca.harness.sim.host.ThreadTurns;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import io.vhca.physical.soft.fabric.SimFabric;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The bonds or plain devices and the network of a seed of the simulator, with faults, and nobody's applications. The
 * simulator's thread.
 */
final class ExsWorld {
    /** More rounds of work at one instant than that are work without end. */
    static final int MOST_ROUNDS = 20_000;

    private static final int FAULTS = 2;

    private final Scenario scenario;
    private final Violations violations = new Violations();
    private final History history;
    private final SimFabric fabric;
    private final Machines machines;
    private final FaultScript faults;

    /**
     * The world of a seed.
     *
     * @param isRecorded keep the bonds' journals
     */
    static ExsWorld survivable(final long seed, final SimFabric fabric, final boolean isRecorded) {
        return new ExsWorld(survivable(ScenarioDraw.draw(seed, true, FaultTable.ALL)), fabric, isRecorded);
    }

    /**
     * The world of a seed with soft devices alone, in which nothing fails but what {@link #kill} kills.
     *
     * @param isRecorded keep what happens
     */
    static ExsWorld plain(final long seed, final SimFabric fabric, final boolean isRecorded) {
        final Scenario drawn = ScenarioDraw.draw(seed, false, FaultTable.ALL).withFaults(List.of());
        return new ExsWorld(drawn, fabric, isRecorded);
    }

    /** @param isRecorded keep what happens */
    ExsWorld(final Scenario scenario, final SimFabric fabric, final boolean isRecorded) {
        this.scenario = scenario;
        this.fabric = fabric;
        history = new History(isRecorded ? Recording.values()[Recording.values().length - 1] : Recording.NONE);
        history.start(startNs());
        fabric.reset(startNs(), scenario.network().latencyNs(), scenario.network().bytesPerUs());
        machines = new Machines(scenario, Mutation.NONE, fabric, isRecorded, violations);
        faults = new FaultScript(
                scenario.faults(), machines.ports(), machines, Draws.stream(seed(), FAULTS), history,
                startNs());
        fabric.faults(machines.heard(faults));
    }

    private static Scenario survivable(final Scenario drawn) {
        final PerSide<BondOptions> bonds = Objects.requireNonNull(drawn.bonds());
        return drawn.withFaults(drawn.faults().stream()
                        .filter(timed -> timed.fault().damage() == Damage.NONE
                                || timed.fault().damage() == Damage.PACKETS
                                || timed.fault().damage() == Damage.PATH)
                        .toList())
                .withBonds(PerSide.each(side -> bonds.of(side).without("write_replay")));
    }

    Violations violations() {
        return violations;
    }

    long seed() {
        return scenario.seed();
    }

    long startNs() {
        return scenario.network().startNs();
    }

    long maxPollNs() {
        return scenario.maxPollNs();
    }

    Context context(final Side side) {
        return machines.of(side).context();
    }

    InetSocketAddress address(final Side side, final int port) {
        return machines.of(side).address(port);
    }

    /** Whether a connected and an accepted socket are two ends of one connection. */
    boolean isPair(final ExsSocket client, final ExsSocket server) {
        final InetSocketAddress own = client.localAddress();
        final InetSocketAddress peer = server.peerAddress();
        return own != null && peer != null && own.getPort() == peer.getPort();
    }

    ThreadTurns turns(final Side side) {
        return machines.of(side).turns().of(HostThread.APPLICATION);
    }

    int doWork(final long nowNs) {
        int work = fabric.doWork(nowNs) + faults.doWork(nowNs);
        for (final Side side : Side.BOTH) {
            work += machines.isDead(side) ? 0 : machines.of(side).doWork(nowNs);
            final String lines = machines.of(side).drainJournal();
            if (!lines.isEmpty()) {
                lines.lines().forEach(line -> history.note(nowNs, side.ordinal(), -1, line));
            }
        }
        return work + machines.doWorkOfOthers(nowNs);
    }

    /** There have been {@link #MOST_ROUNDS} at one instant. */
    void reportSpin() {
        violations.report("virtual time moves", "all", "work without end at one instant");
    }

    /** That process is gone, and with it its devices; nobody says goodbye. */
    void kill(final Side side) {
        machines.killProcess(side);
    }

    /** No packet comes to that host or leaves it. */
    void cutOff(final Side side) {
        for (int member = 0; member < machines.of(side).members(); member++) {
            machines.portUp(side, member, false);
        }
    }

    boolean isDead(final Side side) {
        return machines.isDead(side);
    }

    long nextDeadlineNs() {
        return Deadlines.earlier(
                Deadlines.earlier(fabric.nextDeadlineNs(), faults.nextDeadlineNs()), machines.nextDeadlineNs());
    }

    boolean isHealed() {
        return faults.isHealed();
    }

    long lastHealNs() {
        return faults.lastHealNs();
    }

    /** How often faults struck. */
    int hits() {
        return IntStream.of(faults.hits()).sum();
    }

    /** Recoveries of the bonds that ended with a new path. */
    long failovers() {
        return machines.counts().failovers();
    }

    /** What the contract gives a work request to finish once the network is whole, for some of them in a row. */
    long livenessBoundNs() {
        return 60_000_000_000L + 4 * scenario.transport().retryBudgetNs() + 2 * scenario.recoveryTimeoutNs();
    }

    String describe() {
        return scenario.describe();
    }

    String render() {
        return history.render();
    }

    void close() {
        for (final Side side : Side.BOTH) {
            if (!machines.isDead(side)) {
                machines.of(side).beforeClose();
                machines.of(side).close();
            }
        }
        machines.closeOthers();
    }
}
