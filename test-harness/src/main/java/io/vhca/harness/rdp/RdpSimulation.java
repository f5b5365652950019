package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Violations;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.physical.soft.fabric.Verdict;
import io.vhca.rdp.common.RdpCounters.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** One run of a scenario, on virtual time, in one thread. */
final class RdpSimulation {
    private static final String EXCEPTION = "no exception: all: ";
    private static final int PACKET_SLOTS = 8_192;
    private static final long LATENCY_NS = 2_000;
    private static final int MOST_ROUNDS = 20_000;
    private static final int MOST_STEPS = 1_000_000;
    private static final long QUIET_NS = 100 * RdpScenario.MS;

    private final RdpScenario scenario;
    private final RdpMutation mutation;
    private final Violations violations = new Violations();
    private final RdpBook book = new RdpBook(violations);
    private final SimFabric fabric;
    private final SplittableRandom dice;
    private final List<RdpHost> hosts = new ArrayList<>();
    private final List<RdpHost> dead = new ArrayList<>();
    private final List<RdpApp> apps = new ArrayList<>();
    private final boolean[] wasActive;
    private final int[] lives;
    private long nowNs = 1;

    private RdpSimulation(final RdpScenario scenario, final RdpMutation mutation, final SimFabric fabric) {
        this.scenario = scenario;
        this.mutation = mutation;
        this.fabric = fabric;
        fabric.reset(0, LATENCY_NS, 0);
        dice = Draws.stream(scenario.seed(), 2);
        wasActive = new boolean[scenario.faults().size()];
        lives = new int[scenario.nodes()];
        fabric.faults(this::judge);
        for (int node = 0; node < scenario.nodes(); node++) {
            begin(node);
        }
    }

    /** A network for one run after the other; who made it closes it. */
    static SimFabric fabric() {
        return new SimFabric(new FabricConfig(RdpHost.MTU + RdpHost.HEADER_ROOM, PACKET_SLOTS, LATENCY_NS, 0));
    }

    /**
     * Runs a scenario to its end. One that breaks off by an exception is a bad one, for its seed to be named.
     *
     * @param fabric of its own; after a run that went wrong of no further use but to be closed
     */
    static RdpRun run(final long seed, final RdpMutation mutation, final SimFabric fabric) {
        final RdpScenario scenario = RdpScenario.draw(seed);
        return guarded(scenario, () -> new RdpSimulation(scenario, mutation, fabric).run());
    }

    /** What the run of a scenario ends with, whatever it throws. */
    static RdpRun guarded(final RdpScenario scenario, final Supplier<RdpRun> run) {
        try {
            return run.get();
        } catch (final RuntimeException | AssertionError e) {
            final List<String> wrong = List.of(EXCEPTION + e + " at " + List.of(e.getStackTrace()));
            return new RdpRun(scenario, wrong, 0, 0, 0, 0, 0);
        }
    }

    /** Whether that says how a run broke off: no checker found it. */
    static boolean isException(final String violation) {
        return violation.startsWith(EXCEPTION);
    }

    private void begin(final int node) {
        final RdpHost host = new RdpHost(scenario, node, lives[node], fabric, mutation, nowNs);
        final RdpApp app = new RdpApp(scenario, mutation, node, host, book, violations);
        if (node < hosts.size()) {
            dead.add(hosts.set(node, host));
            apps.set(node, app);
        } else {
            hosts.add(host);
            apps.add(app);
        }
    }

    private RdpRun run() {
        final long boundNs = scenario.healedNs() + 4 * scenario.config().connectTimeoutNs()
                + 2 * scenario.config().nodeTimeoutNs() + 4 * scenario.config().minRecoveryNs();
        int steps = 0;
        String unfinished = "begin";
        while (violations.isEmpty() && !unfinished.isEmpty()) {
            step();
            unfinished = nowNs - scenario.healedNs() < 0 ? "faults" : unfinished();
            if (!unfinished.isEmpty() && (nowNs - boundNs > 0 || ++steps > MOST_STEPS)) {
                violations.report("everything finishes", "all", unfinished);
            }
        }
        final long untilNs = nowNs + QUIET_NS;
        while (violations.isEmpty() && nowNs - untilNs < 0) {
            step();
        }
        long stalls = 0;
        long failures = 0;
        for (final RdpHost host : hosts) {
            stalls += host.driver().counters().get(Counter.STALLS_RECEIVED);
            failures += host.driver().counters().get(Counter.PATHS_FAILED);
        }
        if (violations.isEmpty() && scenario.faults().isEmpty() && failures + book.lost() > 0) {
            violations.report(
                    "what is whole fails nowhere", "all",
                    failures + " paths failed, " + book.lost() + " datagrams lost");
        }
        checkEnd();
        return new RdpRun(scenario, violations.texts(), book.received(), book.lost(), stalls, failures, nowNs);
    }

    private String unfinished() {
        for (final RdpApp app : apps) {
            final String what = app.unfinished(lives);
            if (!what.isEmpty()) {
                return what;
            }
        }
        return "";
    }

    /** Everybody does what is due, then the time moves to what comes next. */
    private void step() {
        apply();
        for (int rounds = 0; violations.isEmpty() && round() > 0; rounds++) {
            if (rounds > MOST_ROUNDS) {
                violations.report("virtual time moves", "all", "work without end at one instant");
            }
        }
        long next = fabric.nextDeadlineNs();
        for (int node = 0; node < hosts.size(); node++) {
            if (!isStill(node)) {
                next = RdpHost.earlier(next, hosts.get(node).nextDeadlineNs());
                next = hosts.get(node).isDriverClosed()
                        ? next
                        : RdpHost.earlier(next, apps.get(node).nextDeadlineNs());
            }
        }
        for (final RdpFault fault : scenario.faults()) {
            next = fault.beginNs() - nowNs > 0 ? RdpHost.earlier(next, fault.beginNs()) : next;
            next = fault.endNs() - nowNs > 0 ? RdpHost.earlier(next, fault.endNs()) : next;
        }
        nowNs = next != Long.MAX_VALUE && next - nowNs > 0 ? next : nowNs + 1_000;
    }

    private int round() {
        int work = fabric.doWork(nowNs);
        for (int node = 0; node < hosts.size(); node++) {
            if (!isStill(node)) {
                final RdpHost host = hosts.get(node);
                final RdpApp app = apps.get(node);
                final int ofHost = host.doWork(nowNs);
                work += ofHost;
                if (!host.isDriverClosed() && (ofHost > 0 || app.isDue(nowNs))) {
                    app.look(nowNs);
                    work += app.doWork(nowNs, lives);
                    host.stir();
                }
            }
        }
        return work;
    }

    private boolean isStill(final int node) {
        if (hosts.get(node).isDead()) {
            return true;
        }
        for (final RdpFault fault : scenario.faults()) {
            if (fault.kind() == RdpFault.Kind.HOST_STARVED && fault.node() == node && fault.isAt(nowNs)) {
                return true;
            }
        }
        return false;
    }

    /** Faults that begin or end now. */
    private void apply() {
        for (int i = 0; i < wasActive.length; i++) {
            final RdpFault fault = scenario.faults().get(i);
            final boolean isActive = fault.isAt(nowNs);
            if (isActive != wasActive[i]) {
                wasActive[i] = isActive;
                hosts.forEach(RdpHost::stir);
                apps.forEach(RdpApp::wake);
                if (fault.kind() == RdpFault.Kind.PORT_DOWN && !hosts.get(fault.node()).isDead()) {
                    hosts.get(fault.node()).ports().get(fault.member()).up(!isActive);
                } else if (fault.kind() == RdpFault.Kind.PROCESS_DEATH) {
                    live(fault.node(), !isActive);
                } else if (fault.kind() == RdpFault.Kind.DRIVER_DEATH && !hosts.get(fault.node()).isDead()) {
                    drive(fault.node(), !isActive);
                }
            }
        }
    }

    private void live(final int node, final boolean isAlive) {
        if (isAlive) {
            lives[node]++;
            begin(node);
        } else {
            hosts.get(node).die();
        }
    }

    private void drive(final int node, final boolean isAlive) {
        final RdpHost host = hosts.get(node);
        // It may have been closed, or opened, by another fault of the same host.
        if (host.isDriverClosed() != isAlive) {
            return;
        }
        if (isAlive) {
            lives[node]++;
            host.reopenDriver(lives[node], nowNs);
            apps.set(node, new RdpApp(scenario, mutation, node, host, book, violations));
        } else {
            apps.get(node).checkBuffers();
            host.closeDriver();
        }
    }

    private long judge(
            final int from, final int to, final int trafficClass, final long packetAddress, final int lengthBytes,
            final long atNs) {
        long verdict = Verdict.DELIVER;
        for (final RdpFault fault : scenario.faults()) {
            if (!fault.isAt(atNs) || !strikes(fault, from) && !strikes(fault, to)) {
                continue;
            }
            final boolean isShare = dice.nextInt(1_000) < fault.share();
            verdict = switch (fault.kind()) {
                case HOST_CUT, PORT_SILENT -> Verdict.DROP;
                case ONE_WAY -> strikes(fault, from) ? Verdict.DROP : verdict;
                case PACKETS_CORRUPTED -> isShare ? Verdict.corrupt(verdict, dice.nextInt(lengthBytes)) : verdict;
                case PACKETS_DROPPED -> isShare ? Verdict.DROP : verdict;
                case PACKETS_DUPLICATED -> isShare ? Verdict.duplicate(verdict, dice.nextInt(200)) : verdict;
                case PACKETS_DELAYED -> isShare ? Verdict.delay(verdict, dice.nextInt(300_000)) : verdict;
                default -> verdict;
            };
            if (Verdict.isDrop(verdict)) {
                return verdict;
            }
        }
        return verdict;
    }

    private boolean strikes(final RdpFault fault, final int port) {
        final List<FabricPort> ports = hosts.size() > fault.node() ? hosts.get(fault.node()).ports() : List.of();
        for (int member = 0; member < ports.size(); member++) {
            if (ports.get(member).index() == port) {
                final boolean isOfPort =
                        fault.kind() == RdpFault.Kind.PORT_SILENT || fault.kind() == RdpFault.Kind.ONE_WAY;
                return !isOfPort || member == fault.member();
            }
        }
        return false;
    }

    private void checkEnd() {
        if (!violations.isEmpty()) {
            return;
        }
        for (int node = 0; node < hosts.size(); node++) {
            apps.get(node).checkBuffers();
            final long foreign = hosts.get(node).driver().counters().get(Counter.FOREIGN);
            if (foreign != 0 && mutation == RdpMutation.NONE) {
                violations.report("drivers understand each other", "node " + node, foreign + " messages are foreign");
            }
        }
        for (final RdpHost host : hosts) {
            try {
                host.close();
            } catch (final RuntimeException e) {
                violations.report("nothing leaked", "close", String.valueOf(e.getMessage()));
            }
        }
        hosts.clear();
    }
}
