package io.vhca.harness.exs;

import io.vhca.api.Errno;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import io.vhca.exs.engine.EngineState;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.host.ThreadTurns;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One scenario with extended sockets over its bonds: connections, a flow each way over each of them, then the end of
 * all, and the counts at the end. The simulator's thread; on virtual time.
 */
final class ExsSimulation {
    private static final int PORT = 7_471;
    private static final int BACKLOG = 16;
    private static final int EVENTS = 1_024;
    /** Who finds nothing polls less and less often, down to once in some milliseconds. */
    private static final int TURNS_A_STEP = 16;
    private static final int MOST_PATIENCE = 10;
    private static final int PART = 130_000;
    private static final int STREAM = 900;
    private static final int FATES = 902;
    private static final int[] CALLS = {1, 2, 8, 64};
    private static final int[] SILENCES_MS = {0, 1, 10, 1_000};
    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_STEPS = 3_000_000;

    private final ExsWorld world;
    private final Violations violations;
    private final SplittableRandom random;
    private final Arena arena = Arena.ofConfined();
    private final PerSide<App> apps;
    private final List<ExsFlow> flows = new ArrayList<>();
    private final List<ExsSocket[]> pairs = new ArrayList<>();
    private final SocketType type;
    private final int connections;
    private final List<ExsSocket> connected = new ArrayList<>();
    private final List<ExsSocket> accepted = new ArrayList<>();
    private long nowNs;
    /** When one side was lost; before the world began where none was. */
    private long lostNs;

    /** One side: its sockets, their queue, the memory of its flows. */
    private static final class App {
        final Side side;
        final Exs exs;
        final ExsQueue queue;
        final ExsMemory memory;
        final long address;
        final ExsEvent[] events = {new ExsEvent(), new ExsEvent(), new ExsEvent()};
        @Nullable ExsSocket listener;
        long nextNs;
        int idle;

        App(final Side side, final Exs exs, final MemorySegment all) {
            this.side = side;
            this.exs = exs;
            queue = exs.qcreate(EVENTS);
            memory = exs.mregister(all);
            address = all.address();
        }

        ExsFlow.Side part(final int index) {
            return new ExsFlow.Side(memory, address, (long) index * PART, PART, queue);
        }
    }

    private ExsSimulation(final ExsWorld world, final ExsMutation mutation) {
        this.world = world;
        violations = world.violations();
        nowNs = world.startNs();
        lostNs = nowNs;
        random = Draws.stream(world.seed(), STREAM);
        type = random.nextInt(3) == 0 ? SocketType.SEQPACKET : SocketType.STREAM;
        connections = random.nextInt(1, 4);
        apps = PerSide.each(side -> {
            final ExsOptions options = new ExsOptions(
                    CALLS[random.nextInt(CALLS.length)], random.nextInt(0, 300), random.nextInt(1, 9),
                    random.nextInt(4, 9), 60_000, SILENCES_MS[random.nextInt(SILENCES_MS.length)],
                    false);
            final Exs exs = Exs.init(Exs.VERSION, world.context(side), options, mutation.plant(), () -> nowNs);
            return new App(side, exs, arena.allocate(2L * connections * PART, 64));
        });
    }

    /** Runs the scenario of a world; what is wrong is reported there. */
    static void run(final ExsWorld world, final ExsMutation mutation) {
        final ExsSimulation simulation = new ExsSimulation(world, mutation);
        simulation.run(simulation::run);
    }

    /**
     * The same, and while calls are outstanding one side is killed, or cut off for good: each call of a side that is
     * there ends once.
     *
     * @return whether calls failed
     */
    static boolean runAndLose(final ExsWorld world, final ExsMutation mutation) {
        final ExsSimulation simulation = new ExsSimulation(world, mutation);
        simulation.run(simulation::lose);
        return simulation.flows.stream().anyMatch(ExsFlow::hasFailed);
    }

    private void run(final Runnable what) {
        try {
            what.run();
        } finally {
            if (violations.isEmpty()) {
                arena.close(); // else somebody may still write there
            }
        }
    }

    private void run() {
        begin();
        if (until(this::isDone, "flows") && until(this::isQuiet, "credits")) {
            checkCredits();
            close();
        }
    }

    private void lose() {
        begin();
        final SplittableRandom fate = Draws.stream(world.seed(), FATES);
        final Side victim = Side.BOTH.get(fate.nextInt(2));
        final boolean isKilled = fate.nextBoolean();
        final double share = fate.nextDouble();
        if (!until(() -> isDone() || !flows.isEmpty() && isDoneTo(share), "flows")) {
            return;
        }
        flows.forEach(ExsFlow::mayFail);
        lostNs = nowNs;
        if (isKilled) {
            world.kill(victim);
        } else {
            world.cutOff(victim);
        }
        if (until(() -> living().allMatch(app -> flows.stream().allMatch(flow -> flow.isOver(app.queue))), "ends")) {
            close();
            flows.forEach(ExsFlow::checkFailed);
        }
    }

    private boolean isDoneTo(final double share) {
        return flows.stream().mapToInt(ExsFlow::callsDone).sum()
                >= share * flows.stream().mapToInt(ExsFlow::calls).sum();
    }

    private Stream<App> living() {
        return Side.BOTH.stream().filter(side -> !world.isDead(side)).map(apps::of);
    }

    private void close() {
        final List<ExsSocket> all = new ArrayList<>();
        if (!world.isDead(Side.LEFT)) {
            all.addAll(connected);
        }
        final ExsSocket listener = apps.of(Side.RIGHT).listener;
        if (!world.isDead(Side.RIGHT) && listener != null) {
            all.addAll(accepted);
            all.add(listener);
        }
        all.forEach(ExsSocket::close);
        if (until(() -> living().allMatch(app -> app.exs.openSockets() == 0), "close")) {
            living().forEach(app -> app.exs.close());
            world.close();
        }
    }

    private void begin() {
        final App right = apps.of(Side.RIGHT);
        final ExsSocket listener = right.exs.socket(type);
        right.listener = listener;
        listener.bind(world.address(Side.RIGHT, PORT));
        listener.listen(BACKLOG);
        listener.accept(right.queue, this);
        for (int i = 0; i < connections; i++) {
            connect();
        }
    }

    /** Lets everything happen until something holds; false when that lasts too long, or something is wrong. */
    private boolean until(final Condition condition, final String what) {
        final long boundNs = world.livenessBoundNs();
        for (int steps = 0; violations.isEmpty(); steps++) {
            if (condition.holds() && world.isHealed()) {
                return true;
            }
            final long quietNs = Math.min(nowNs - world.lastHealNs(), nowNs - lostNs);
            if (world.isHealed() && quietNs > boundNs || steps == MOST_STEPS) {
                violations.report(
                        "everything finishes", what,
                        connected.size() + " connected, " + accepted.size() + " accepted, " + flows);
                return false;
            }
            step();
        }
        return false;
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds();
    }

    private void step() {
        int rounds = 0;
        int work;
        do {
            work = world.doWork(nowNs);
            for (final Side side : Side.BOTH) {
                work += turn(apps.of(side));
            }
        } while (work > 0 && ++rounds < ExsWorld.MOST_ROUNDS);
        if (work > 0) {
            world.reportSpin();
        }
        long next = world.nextDeadlineNs();
        for (final Side side : Side.BOTH) {
            if (!world.isDead(side)) {
                next = Deadlines.earlier(next, world.turns(side).deadlineNs(apps.of(side).nextNs));
            }
        }
        nowNs = next - nowNs > 0 ? next : nowNs + 1;
    }

    /** A turn of an application: it drives its sockets, takes events, and calls what is due. */
    private int turn(final App app) {
        final ThreadTurns turns = world.turns(app.side);
        if (app.nextNs - nowNs > 0 && app.nextNs != 0 || world.isDead(app.side) || !turns.mayRun(nowNs)) {
            return 0;
        }
        int work = app.exs.doWork(nowNs);
        for (int taken = app.queue.qdequeue(app.events, 0); taken > 0; taken = app.queue.qdequeue(app.events, 0)) {
            for (int i = 0; i < taken; i++) {
                take(app.events[i]);
            }
            work += taken;
        }
        for (final ExsFlow flow : flows) {
            work += flow.isOf(app.queue) ? flow.send() : flow.receive();
        }
        app.idle = work > 0 ? 0 : app.idle + 1;
        final int patience = Math.min(app.idle / TURNS_A_STEP, MOST_PATIENCE);
        app.nextNs = nowNs + (random.nextLong(200, world.maxPollNs() + 200) << patience);
        turns.ran(nowNs);
        return work;
    }

    private void take(final ExsEvent event) {
        switch (event.kind()) {
            case CONNECT -> connected(event);
            case ACCEPT -> accept(event);
            case SEND -> flow(event).sent(event);
            case RECV -> flow(event).received(event);
            case POLL -> flow(event).ready(event);
        }
    }

    private static ExsFlow flow(final ExsEvent event) {
        if (event.cookie() instanceof final ExsFlow flow) {
            return flow;
        }
        throw new AssertionError("an event without its cookie: " + event);
    }

    /** A first connect is promised nothing while paths die: the application tries again, with another socket. */
    private void connected(final ExsEvent event) {
        if (event.errno() == 0) {
            connected.add(event.socket());
            makeFlows();
            return;
        }
        if (event.errno() != Errno.EHOSTUNREACH && event.errno() != Errno.ECONNREFUSED) {
            violations.report("connections are made", "all", event + ": " + event.socket().failure());
        }
        event.socket().close();
        connect();
    }

    private void connect() {
        final App left = apps.of(Side.LEFT);
        left.exs.socket(type).connect(world.address(Side.RIGHT, PORT), left.queue, this);
    }

    private void accept(final ExsEvent event) {
        final ExsSocket socket = event.accepted();
        if (socket != null) {
            accepted.add(socket);
            event.socket().accept(apps.right().queue, this);
            makeFlows();
        }
    }

    /** Whose peer an accepted socket is, its address says: the connections were made at once. */
    private void makeFlows() {
        for (final ExsSocket client : connected) {
            final ExsSocket server = accepted.stream()
                    .filter(one -> world.isPair(client, one))
                    .findFirst()
                    .orElse(null);
            if (server != null && pairs.stream().noneMatch(pair -> pair[0] == client)) {
                pairs.add(new ExsSocket[] {client, server});
            }
        }
        if (pairs.size() < connections || !flows.isEmpty()) {
            return;
        }
        for (int i = 0; i < connections; i++) {
            final ExsSocket[] pair = pairs.get(i);
            flows.add(flow("left " + i, pair[0], apps.left(), 2 * i, pair[1], apps.right(), 2 * i));
            flows.add(flow("right " + i, pair[1], apps.right(), 2 * i + 1, pair[0], apps.left(), 2 * i + 1));
        }
    }

    private ExsFlow flow(
            final String name, final ExsSocket from, final App fromApp, final int fromPart, final ExsSocket to,
            final App toApp, final int toPart) {
        final ExsFlow.Side sender = fromApp.part(fromPart);
        final ExsFlow.Side receiver = toApp.part(toPart);
        sender.socket = from;
        receiver.socket = to;
        return new ExsFlow(name, type, sender, receiver, random.split(), violations);
    }

    private boolean isDone() {
        return !flows.isEmpty() && flows.stream().allMatch(ExsFlow::isDone);
    }

    /** True when what one end gave back has come to the other. */
    private boolean isQuiet() {
        for (final ExsSocket[] pair : pairs) {
            if (!isWhole(pair[0].state(), pair[1].state()) || !isWhole(pair[1].state(), pair[0].state())) {
                return world.isHealed() && nowNs - world.lastHealNs() > QUIET_NS + world.livenessBoundNs() / 2;
            }
        }
        return true;
    }

    private static boolean isWhole(final EngineState one, final EngineState other) {
        return one.data() + other.dataHeard() == other.dataGranted()
                && one.control() + other.controlHeard() == other.controlGranted()
                && one.unread() == 0
                && other.untaken() == 0;
    }

    private void checkCredits() {
        for (final ExsSocket[] pair : pairs) {
            if (!isWhole(pair[0].state(), pair[1].state()) || !isWhole(pair[1].state(), pair[0].state())) {
                violations.report(
                        "credits are neither lost nor made", "all", pair[0].state() + " and " + pair[1].state());
            }
        }
    }
}
