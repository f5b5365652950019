package io.vhca.harness.sim;

import io.vhca.physical.soft.fabric.SimFabric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One run of one scenario: both applications, both hosts and the fabric in one thread, on virtual time that jumps from
 * event to event.
 *
 * <pre>
 *   RUN -- all done, faults over --> QUIET -- nothing more came --> CLOSE -- all flushed --> checks
 * </pre>
 */
final class Simulation implements FaultTarget, LastWords.Stage {
    private static final int MOST_ROUNDS = 10_000;
    private static final long QUIET_NS = 5_000_000;
    private static final long CLOSE_NS = 3_000_000_000L;

    private final Scenario scenario;
    private final WorkerMemory memory;
    private final SimFabric fabric;
    private final History history;
    private final Violations violations = new Violations();
    private final SimHost[] hosts = new SimHost[2];
    private final SimApp[] apps = new SimApp[2];
    private final boolean[] isDead = new boolean[2];
    private final HostFactory factory;
    private final List<SimHost> restarted = new ArrayList<>(0);
    private final Side[] sideOfPort = new Side[SimFabric.MAX_PORTS];
    private final int[] memberOfPort = new int[SimFabric.MAX_PORTS];
    private final Directions directions;
    private final DatagramBook datagrams;
    private final ScriptedFaults faults;
    private final LivenessChecker liveness;
    private long nowNs;
    private int failedEnds;

    private Simulation(
            final Scenario scenario, final Recording recording, final WorkerMemory memory, final HostFactory factory) {
        this.scenario = scenario;
        this.memory = memory;
        this.factory = factory;
        history = new History(recording);
        history.start(scenario.startNs());
        nowNs = scenario.startNs();
        fabric = memory.fabric();
        fabric.reset(nowNs, scenario.latencyNs(), scenario.bytesPerUs());
        // Without a ledger nobody can tell that a WRITE was acknowledged and never placed: its memory is not looked at.
        directions = new Directions(
                scenario, violations, !scenario.has(FaultKind.ACK_BEFORE_PLACEMENT) || scenario.confirms());
        datagrams = new DatagramBook(scenario, violations);
        for (final Side side : Side.BOTH) {
            hosts[side.ordinal()] = createHost(side);
        }
        liveness = new LivenessChecker(livenessBoundNs(), violations);
        liveness.onHealed(nowNs);
        faults = new ScriptedFaults(
                scenario.faults(), sideOfPort, memberOfPort,
                new int[] {scenario.leftMembers(), scenario.rightMembers()}, this,
                ScenarioDraw.stream(scenario.seed(), 2), history, nowNs);
        fabric.faults(faults);
    }

    /** Runs a scenario to its end and checks it. */
    static RunResult run(
            final Scenario scenario, final Recording recording, final WorkerMemory memory, final HostFactory factory) {
        return new Simulation(scenario, recording, memory, factory).run();
    }

    /** What the contract gives a work request to finish once the network is whole. */
    private long livenessBoundNs() {
        final long detectNs = 4 * scenario.retryBudgetNs();
        return 20_000_000_000L + detectNs + (scenario.isBond() ? 2 * scenario.recoveryTimeoutNs() : 0);
    }

    private SimHost createHost(final Side side) {
        final SimHost host = factory.create(scenario, side, fabric, history.isRecorded(), violations);
        for (int member = 0; member < host.members(); member++) {
            sideOfPort[host.portIndex(member)] = side;
            memberOfPort[host.portIndex(member)] = member;
        }
        if (hosts[side.other().ordinal()] != null) {
            split(host, hosts[side.other().ordinal()]);
        }
        return host;
    }

    private void split(final SimHost one, final SimHost other) {
        for (int member = 0; member < one.members(); member++) {
            for (int peer = 0; peer < other.members(); peer++) {
                if (!scenario.isRouted(member, peer)) {
                    fabric.block(one.portIndex(member), other.portIndex(peer), true);
                    fabric.block(other.portIndex(peer), one.portIndex(member), true);
                }
            }
        }
    }

    private RunResult run() {
        for (final Side side : Side.BOTH) {
            memory.app(side).reset();
            apps[side.ordinal()] = new SimApp(
                    side, scenario, hosts[side.ordinal()], memory.app(side), memory.wrs(side), directions, datagrams,
                    history, violations);
        }
        app(Side.RIGHT).cm().listen();
        final boolean isDone = runUntilDone();
        failedEnds = countFailed();
        if (!scenario.has(FaultKind.DATA_LOSS) && !isDead[0] && !isDead[1]) {
            history.used(Feature.DATAGRAM_LOST, app(Side.LEFT).datagramsLost() + app(Side.RIGHT).datagramsLost());
        }
        if (isDone) {
            runFor(QUIET_NS);
            checkDirections();
            if (isDead[0] || isDead[1] || new LastWords(scenario, this, directions, violations).speak()) {
                closeConnections();
            }
        }
        HostCounts counts = HostCounts.NONE;
        for (final Side side : Side.BOTH) {
            counts = counts.plus(hosts[side.ordinal()].counts());
            if (!isDead[side.ordinal()]) {
                closeSide(side, isDone);
            }
        }
        final RunResult result = result(counts);
        for (final Side side : Side.BOTH) {
            if (isDead[side.ordinal()]) {
                closeSide(side, false);
            }
        }
        for (final SimHost host : restarted) {
            host.beforeClose();
            host.close();
        }
        return result;
    }

    private int countFailed() {
        int failed = 0;
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            for (final Side side : Side.BOTH) {
                failed += app(side).connection(qp).hasFailed() ? 1 : 0;
            }
        }
        return failed;
    }

    private RunResult result(final HostCounts counts) {
        long operations = 0;
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            for (final Side side : Side.BOTH) {
                operations += directions.of(qp, side).sends().succeeded();
            }
        }
        return new RunResult(
                scenario, violations.texts(), history.hash(), history.render(), faults.hits().clone(),
                history.features().clone(), counts,
                operations,
                failedEnds, faults.packets(), nowNs - scenario.startNs());
    }

    /** True when everything finished; false when the bound was broken or nothing moved. */
    private boolean runUntilDone() {
        while (true) {
            if (!step()) {
                return false;
            }
            if (violations.count() > 0) {
                return false;
            }
            if (faults.isHealed()) {
                datagrams.healed(faults.lastHealNs());
                if (isFinished()) {
                    return true;
                }
                liveness.onHealed(faults.lastHealNs());
                if (liveness.isLate(nowNs)) {
                    liveness.report("all", unfinished());
                    return false;
                }
            }
        }
    }

    @Override
    public void runFor(final long durationNs) {
        final long untilNs = nowNs + durationNs;
        while (nowNs - untilNs < 0 && step()) {
            if (violations.count() > 0) {
                return;
            }
        }
    }

    private boolean isFinished() {
        for (final Side side : Side.BOTH) {
            if (!isDead[side.ordinal()]
                    && !(app(side).isFinished(app(side.other()), isDead[side.other().ordinal()])
                            && missing(side).isEmpty())) {
                return false;
            }
        }
        return true;
    }

    /** The member that should be back and is not, empty for none. */
    private String missing(final Side side) {
        return scenario.has(FaultKind.DEVICE_RETURN) ? hosts[side.ordinal()].missing() : "";
    }

    private String unfinished() {
        final StringBuilder text = new StringBuilder();
        for (final Side side : Side.BOTH) {
            if (!isDead[side.ordinal()]) {
                final String part = app(side).unfinished(app(side.other()), isDead[side.other().ordinal()]);
                text.append(text.isEmpty() || part.isEmpty() ? "" : "; ").append(part);
                if (!missing(side).isEmpty()) {
                    text.append("; ").append(missing(side)).append(" is not back");
                }
            }
        }
        return text.toString();
    }

    /** Does all that is due now, then moves the time to the next event. False when the run is stuck. */
    private boolean step() {
        int rounds = 0;
        while (round(rounds >= MOST_ROUNDS) > 0) {
            if (++rounds > MOST_ROUNDS) {
                return false;
            }
        }
        final long nextNs = nextEventNs();
        if (nextNs == Long.MAX_VALUE) {
            violations.report("virtual time moves", "all", "nothing will ever happen again: " + unfinished());
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
        int work = busy("fabric", fabric.doWork(nowNs) + faults.doWork(nowNs), isOneTooMany);
        for (int i = 0; i < 2; i++) {
            final Side side = Side.of(i);
            if (!isDead[i]) {
                work += busy(side.label() + " host", hosts[i].doWork(nowNs), isOneTooMany);
                work += busy(side.label() + " application", apps[i].doWork(nowNs, hosts[1 - i]), isOneTooMany);
                note(side);
            }
        }
        for (final SimHost host : restarted) {
            work += busy("restarted host", host.doWork(nowNs), isOneTooMany);
        }
        return work;
    }

    private int busy(final String who, final int work, final boolean isOneTooMany) {
        if (isOneTooMany && work > 0) {
            violations.report("virtual time moves", who, "work without end at one instant: " + work + " a round");
        }
        return work;
    }

    private void note(final Side side) {
        if (history.isRecorded()) {
            final String lines = hosts[side.ordinal()].drainJournal();
            if (!lines.isEmpty()) {
                lines.lines().forEach(line -> history.note(nowNs, side.ordinal(), -1, line));
            }
        }
    }

    private long nextEventNs() {
        long next = earlier(fabric.nextDeadlineNs(), faults.nextDeadlineNs());
        for (int i = 0; i < 2; i++) {
            if (!isDead[i]) {
                next = earlier(next, hosts[i].nextDeadlineNs());
                next = earlier(next, apps[i].nextDeadlineNs());
            }
        }
        for (final SimHost host : restarted) {
            next = earlier(next, host.nextDeadlineNs());
        }
        return next;
    }

    /** The earlier of two deadlines, {@link Long#MAX_VALUE} being none. */
    static long earlier(final long left, final long right) {
        if (left == Long.MAX_VALUE || right == Long.MAX_VALUE) {
            return Math.min(left, right);
        }
        return left - right < 0 ? left : right;
    }

    private void checkDirections() {
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            for (final Side side : Side.BOTH) {
                final boolean hasFailed =
                        app(Side.LEFT).connection(qp).hasFailed() || app(Side.RIGHT).connection(qp).hasFailed();
                final boolean mayBeLost =
                        hasFailed && scenario.has(FaultKind.ACK_BEFORE_PLACEMENT) && !scenario.confirms();
                directions.of(qp, side).checkAtEnd(scenario.mustSurvive(), !isDead[0] && !isDead[1] && !mayBeLost);
            }
        }
    }

    private void closeConnections() {
        final Side first = Side.of((int) (scenario.seed() & 1));
        for (final Side side : new Side[] {first, first.other()}) {
            if (!isDead[side.ordinal()]) {
                app(side).disconnect(nowNs);
                runFor(scenario.latencyNs());
            }
        }
        final long untilNs = nowNs + CLOSE_NS;
        while (!isFinished() && violations.count() == 0) {
            if (nowNs - untilNs > 0) {
                violations.report("everything finishes", "close", "after disconnect: " + unfinished());
                return;
            }
            if (!step()) {
                return;
            }
        }
    }

    private void closeSide(final Side side, final boolean isChecked) {
        final int index = side.ordinal();
        final int before = violations.count();
        try {
            hosts[index].beforeClose();
            apps[index].close(nowNs);
            hosts[index].close();
        } catch (final RuntimeException e) {
            if (isChecked && before == violations.count()) {
                violations.report("nothing leaked", side.label(), "close: " + e.getMessage());
            }
        }
    }

    @Override
    public boolean isDead(final Side side) {
        return isDead[side.ordinal()];
    }

    @Override
    public SimApp app(final Side side) {
        return apps[side.ordinal()];
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public void cut(final Side side, final boolean isCut) {
        for (int member = 0; member < hosts[side.ordinal()].members(); member++) {
            blockTransmit(side, member, isCut);
        }
    }

    @Override
    public void portUp(final long atNs, final Side side, final int member, final boolean isUp) {
        hosts[side.ordinal()].portUp(member, isUp);
    }

    @Override
    public void blockTransmit(final Side side, final int member, final boolean isBlocked) {
        final int from = hosts[side.ordinal()].portIndex(member);
        final SimHost peer = hosts[side.other().ordinal()];
        for (int other = 0; other < peer.members(); other++) {
            fabric.block(from, peer.portIndex(other), isBlocked || !scenario.isRouted(member, other));
        }
    }

    @Override
    public void drain(final Side side, final int member, final boolean isDrained) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].drain(member, isDrained);
        }
    }

    @Override
    public void remove(final Side side, final int member, final boolean isRemoved) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].remove(member, isRemoved);
        }
    }

    @Override
    public void activate(final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].activate(member);
        }
    }

    @Override
    public void hangSenders(final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].hangSenders(member);
        }
    }

    @Override
    public void failSenders(final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].failSenders(member);
        }
    }

    @Override
    public void moveGid(final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].moveGid(member);
        }
    }

    @Override
    public void shrinkMtu(final Side side, final int member, final boolean isSmall) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].shrinkMtu(member, isSmall);
        }
    }

    @Override
    public void killDevice(final long atNs, final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].killDevice(member);
        }
    }

    @Override
    public void reviveDevice(final long atNs, final Side side, final int member) {
        if (!isDead[side.ordinal()]) {
            hosts[side.ordinal()].reviveDevice(member);
        }
    }

    @Override
    public void killProcess(final long atNs, final Side side) {
        if (!isDead[side.ordinal()]) {
            isDead[side.ordinal()] = true;
            hosts[side.ordinal()].killProcess();
        }
    }

    @Override
    public void restartProcess(final long atNs, final Side side) {
        restarted.add(createHost(side));
    }

    @Override
    public String toString() {
        return scenario.describe() + Arrays.toString(hosts);
    }
}
