package io.vhca.harness.sim;

import io.vhca.harness.sim.app.Applications;
import io.vhca.harness.sim.app.ScenarioEnd;
import io.vhca.harness.sim.app.SimApp;
import io.vhca.harness.sim.check.DatagramBook;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.check.LivenessChecker;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.FaultScript;
import io.vhca.harness.sim.host.HostCounts;
import io.vhca.harness.sim.host.Machines;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import io.vhca.physical.soft.fabric.SimFabric;

/**
 * One run of one scenario: both applications, both hosts and the fabric in one thread, on virtual time that jumps from
 * event to event.
 *
 * <pre>
 *   RUN -- all done, faults over --> QUIET -- nothing more came --> CLOSE -- all flushed --> checks
 * </pre>
 */
final class Simulation implements ScenarioEnd.Stage {
    private static final int STEPS_A_LOOK = 1_024;
    private static final long QUIET_NS = 5_000_000;
    private static final long CLOSE_NS = 3_000_000_000L;

    private final Scenario scenario;
    private final SimFabric fabric;
    private final History history;
    private final Violations violations = new Violations();
    private final Machines machines;
    private final Applications apps;
    private final Directions directions;
    private final DatagramBook datagrams;
    private final FaultScript faults;
    private final LivenessChecker liveness;
    private final StepBound bound = new StepBound();
    private long nowNs;
    private int steps;
    private int failedEnds;

    private Simulation(
            final Scenario scenario, final Mutation mutation, final Recording recording, final WorkerMemory memory) {
        this.scenario = scenario;
        history = new History(recording);
        nowNs = scenario.network().startNs();
        history.start(nowNs);
        fabric = memory.fabric();
        fabric.reset(nowNs, scenario.network().latencyNs(), scenario.network().bytesPerUs());
        // Nobody can tell that a WRITE was acknowledged and never placed: without confirmations its memory is not
        // looked at.
        directions = new Directions(
                scenario, violations, !scenario.has(Damage.ACKNOWLEDGED_DATA) || scenario.isConfirming());
        datagrams = new DatagramBook(scenario, violations);
        machines = new Machines(scenario, mutation, fabric, history.isRecorded(), violations);
        liveness = new LivenessChecker(livenessBoundNs(), violations);
        liveness.onHealed(nowNs);
        faults = new FaultScript(
                scenario.faults(), machines.ports(), machines, Draws.stream(scenario.seed(), 2), history, nowNs);
        fabric.faults(machines.heard(faults));
        apps = new Applications(scenario, machines, memory.apps(), directions, datagrams, history, violations);
    }

    /** Runs a scenario to its end and checks it. */
    static RunResult run(
            final Scenario scenario, final Mutation mutation, final Recording recording, final WorkerMemory memory) {
        return new Simulation(scenario, mutation, recording, memory).run();
    }

    /** What the contract gives a work request to finish once the network is whole. */
    private long livenessBoundNs() {
        return 20_000_000_000L + 4 * scenario.transport().retryBudgetNs() + 2 * scenario.recoveryTimeoutNs();
    }

    private RunResult run() {
        final boolean isDone = runUntilDone();
        failedEnds = apps.failedEnds();
        if (!scenario.has(Effect.DATAGRAMS_MAY_NEVER_ARRIVE) && machines.areAlive()) {
            history.used(Feature.DATAGRAM_LOST, apps.datagramsLost());
        }
        if (isDone) {
            runFor(QUIET_NS);
            runUntilHealed();
            checkDirections();
            checkFailovers();
            apps.checkSettings(history);
            final ScenarioEnd end = new ScenarioEnd(scenario, this, directions, violations);
            if (!machines.areAlive() || end.bringAbout()) {
                closeConnections();
                if (machines.areAlive() && violations.isEmpty()) {
                    end.checkMemory();
                }
            }
        }
        final HostCounts counts = machines.counts();
        for (final Side side : Side.BOTH) {
            if (!machines.isDead(side)) {
                closeSide(side, isDone);
            }
        }
        final RunResult result = result(counts);
        for (final Side side : Side.BOTH) {
            if (machines.isDead(side)) {
                closeSide(side, false);
            }
        }
        machines.closeOthers();
        return result;
    }

    private RunResult result(final HostCounts counts) {
        machines.spoofed().forEach(history::used);
        return new RunResult(
                scenario, violations.texts(), history.hash(), history.render(), faults.hits(),
                history.features().clone(), counts, directions.succeeded(), failedEnds, faults.packets(),
                nowNs - scenario.network().startNs());
    }

    /** True when everything finished; false when the bound was broken or nothing moved. */
    private boolean runUntilDone() {
        while (step() && violations.isEmpty()) {
            apps.beginLives(nowNs);
            if (faults.isHealed()) {
                datagrams.healed(faults.lastHealNs());
                if (apps.isFinished()) {
                    return true;
                }
                liveness.onHealed(faults.lastHealNs());
                if (liveness.isLate(nowNs)) {
                    liveness.report("all", apps.unfinished());
                    return false;
                }
            }
        }
        return false;
    }

    /** What a fault that began late keeps from the applications arrives, and is polled. */
    private void runUntilHealed() {
        while (!faults.isHealed() && step() && violations.isEmpty()) {
            // Faults end by themselves.
        }
    }

    @Override
    public void runFor(final long durationNs) {
        final long untilNs = nowNs + durationNs;
        machines.stir();
        while (nowNs - untilNs < 0 && step()) {
            if (!violations.isEmpty()) {
                return;
            }
        }
    }

    /** Does all that is due now, then moves the time to the next event. False when the run is stuck. */
    private boolean step() {
        if (++steps % STEPS_A_LOOK == 0 && Thread.currentThread().isInterrupted()) {
            violations.report("a run ends", "all", "it was interrupted");
            return false;
        }
        bound.onInstant();
        for (boolean isLast = false; round(isLast) > 0; ) {
            if (isLast) {
                return false;
            }
            isLast = bound.isLastRound();
        }
        final long nextNs = nextEventNs();
        if (nextNs == Deadlines.NONE) {
            violations.report("virtual time moves", "all", "nothing will ever happen again: " + apps.unfinished());
            return false;
        }
        if (bound.isCreeping(nextNs, nowNs)) {
            violations.report(
                    "virtual time moves", "all", "it creeps, nobody serves what is due: " + apps.unfinished());
            return false;
        }
        nowNs = nextNs - nowNs > 0 ? nextNs : nowNs + 1;
        return true;
    }

    /**
     * Lets everybody do what is due at this instant.
     *
     * @param isOneTooMany there have been so many rounds that work in this one is a violation
     */
    private int round(final boolean isOneTooMany) {
        final int struck = faults.doWork(nowNs);
        if (struck > 0) {
            machines.stir();
        }
        int work = busy("fabric", fabric.doWork(nowNs) + struck, isOneTooMany);
        for (int i = 0; i < 2; i++) {
            final Side side = Side.of(i);
            if (!machines.isDead(side)) {
                work += busy(side.label() + " host", machines.of(side).doWork(nowNs), isOneTooMany);
                work += busy(side.label() + " application", apps.doWork(side, nowNs), isOneTooMany);
                note(side);
            }
        }
        return work + busy("other hosts", machines.doWorkOfOthers(nowNs), isOneTooMany);
    }

    private int busy(final String who, final int work, final boolean isOneTooMany) {
        if (isOneTooMany && work > 0) {
            violations.report("virtual time moves", who, "work without end at one instant: " + work + " a round");
        }
        return work;
    }

    private void note(final Side side) {
        if (history.isRecorded()) {
            final String lines = machines.of(side).drainJournal();
            if (!lines.isEmpty()) {
                lines.lines().forEach(line -> history.note(nowNs, side.ordinal(), -1, line));
            }
        }
    }

    private long nextEventNs() {
        return Deadlines.earlier(
                Deadlines.earlier(fabric.nextDeadlineNs(), faults.nextDeadlineNs()),
                Deadlines.earlier(machines.nextDeadlineNs(), apps.nextDeadlineNs()));
    }

    private void checkDirections() {
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            final boolean isEnded = directions.mistakenSide(qp) != null || directions.earlyEnd(qp) != null;
            // What was acknowledged before an application's own error, or its end, is not confirmed any more.
            final boolean mayBeLost =
                    apps.hasFailed(qp) && scenario.has(Damage.ACKNOWLEDGED_DATA)
                            && (isEnded || !scenario.isConfirming());
            directions.checkAtEnd(qp, scenario.mustSurvive() && !isEnded, machines.areAlive() && !mayBeLost);
        }
    }

    /**
     * Before the scenario's ending, which may cut paths, nothing has moved where no fault is a failure. Whose peer has
     * failed by a mistake of its own looks for it elsewhere.
     */
    private void checkFailovers() {
        final long failovers = machines.counts().failovers();
        if (scenario.mustNotMove() && !scenario.has(Trait.OWN_MISTAKE) && failovers > 0) {
            violations.report("what is no failure moves nothing", "all", failovers + " failovers");
        }
    }

    private void closeConnections() {
        final Side first = Side.of((int) (scenario.seed() & 1));
        for (final Side side : new Side[] {first, first.other()}) {
            if (!machines.isDead(side)) {
                app(side).disconnect(nowNs);
                runFor(scenario.network().latencyNs());
            }
        }
        final long beganNs = nowNs;
        while (!apps.isFinished() && violations.isEmpty()) {
            final long sinceNs = Math.min(nowNs - beganNs, nowNs - faults.lastHealNs());
            final long waitedNs = app(Side.LEFT).sinceLastEndNs(nowNs, app(Side.RIGHT).sinceLastEndNs(nowNs, sinceNs));
            if (faults.isHealed() && waitedNs > CLOSE_NS) {
                violations.report("everything finishes", "close", "after disconnect: " + apps.unfinished());
                return;
            }
            if (!step()) {
                return;
            }
        }
    }

    private void closeSide(final Side side, final boolean isChecked) {
        final int before = violations.count();
        try {
            machines.of(side).beforeClose();
            app(side).close(nowNs);
            machines.of(side).close();
        } catch (final RuntimeException e) {
            if (isChecked && before == violations.count()) {
                violations.report("nothing leaked", side.label(), "close: " + e.getMessage());
            }
        }
    }

    @Override
    public boolean isDead(final Side side) {
        return machines.isDead(side);
    }

    @Override
    public SimApp app(final Side side) {
        return apps.of(side);
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public void cut(final Side side, final boolean isCut) {
        for (int member = 0; member < scenario.members(side); member++) {
            machines.blockTransmit(side, member, isCut);
        }
    }
}
