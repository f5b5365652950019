package io.vhca.harness.exs;

import io.vhca.api.Errno;
import io.vhca.exs.EventKind;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import io.vhca.exs.engine.PortTap;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Sockets over plain devices on which nobody sends, until the process of one side is killed: every receive of the other
 * one ends with ECONNRESET within the bound that {@code docs/EXS.md} names, and none before. The simulator's thread; on
 * virtual time.
 */
final class VanishSimulation {
    /** The setting that the scenario runs with. */
    static final int SILENCE_MS = 100;

    private static final int PORT = 7_471;
    private static final int STREAM = 901;
    private static final int BYTES = 4_096;
    private static final long TURN_NS = 50_000;
    /** Eight times the acknowledgement timeout of the connection manager, and as much again: devices may be slow. */
    private static final long GIVEN_UP_NS = 16 * (4_096L << 17);

    private final ExsWorld world;
    private final SplittableRandom random;
    private final Side victim;
    private final int connections;
    private final PerSide<App> apps;
    private final List<ExsSocket> ofSurvivor = new ArrayList<>();
    private long nowNs;
    private long nextTurnNs;
    private int established;
    private int ended;

    /** One side: its sockets' queue, and memory to receive into. */
    private record App(Exs exs, ExsQueue queue, ExsMemory memory, ExsEvent[] events) {}

    private VanishSimulation(final ExsWorld world, final int silenceMs) {
        this.world = world;
        nowNs = world.startNs();
        nextTurnNs = nowNs;
        random = Draws.stream(world.seed(), STREAM);
        victim = Side.BOTH.get(random.nextInt(2));
        connections = random.nextInt(1, 4);
        apps = PerSide.each(side -> {
            final ExsOptions options = new ExsOptions(8, 100, 8, 8, 1_000, silenceMs, false);
            final Exs exs = Exs.init(Exs.VERSION, world.context(side), options, PortTap.NONE, () -> nowNs);
            return new App(
                    exs, exs.qcreate(64), exs.mregister(Arena.ofAuto().allocate(BYTES)),
                    new ExsEvent[] {new ExsEvent()});
        });
    }

    /** Runs the scenario of a world; what is wrong is reported there. */
    static void run(final ExsWorld world, final int silenceMs) {
        new VanishSimulation(world, silenceMs).run();
    }

    private void run() {
        final App right = apps.right();
        final ExsSocket listener = right.exs.socket(SocketType.STREAM);
        listener.bind(world.address(Side.RIGHT, PORT));
        listener.listen(connections);
        for (int i = 0; i < connections; i++) {
            listener.accept(right.queue, null);
            apps.left().exs.socket(SocketType.STREAM).connect(world.address(Side.RIGHT, PORT), apps.left().queue, null);
        }
        if (!pass(TimeUnit.SECONDS.toNanos(30), () -> established == 2 * connections)) {
            world.violations().report("connections are made", "all", established + " of " + 2 * connections);
            return;
        }
        final App survivor = apps.of(victim.other());
        ofSurvivor.forEach(socket -> socket.recv(survivor.memory, 0, BYTES, 0, survivor.queue, null));
        pass(random.nextLong(5 * silenceNs()), () -> ended > 0);
        if (ended > 0) {
            world.violations().report("nobody fails before the peer is gone", "survivor", ended + " receives ended");
            return;
        }
        if (!world.violations().isEmpty()) {
            return;
        }
        world.kill(victim);
        final long boundNs = silenceNs() + silenceNs() / 4 + GIVEN_UP_NS;
        if (!pass(boundNs, () -> ended == connections)) {
            world.violations().report(
                    "a peer that vanished is heard of", "survivor",
                    ended + " of " + connections + " receives ended within " + boundNs / 1_000_000 + " ms");
        }
    }

    private static long silenceNs() {
        return TimeUnit.MILLISECONDS.toNanos(SILENCE_MS);
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds();
    }

    /** Lets that much time pass, less where the condition holds before; whether it holds. */
    private boolean pass(final long forNs, final Condition until) {
        final long endNs = nowNs + forNs;
        while (nowNs - endNs < 0 && !until.holds()) {
            for (int rounds = 0; world.doWork(nowNs) > 0; rounds++) {
                if (rounds == ExsWorld.MOST_ROUNDS) {
                    world.reportSpin();
                    return false;
                }
            }
            if (nowNs - nextTurnNs >= 0) {
                Side.BOTH.forEach(this::turn);
                nextTurnNs = nowNs + TURN_NS;
            }
            final long next = Deadlines.earlier(world.nextDeadlineNs(), nextTurnNs);
            nowNs = next - nowNs > 0 ? next : nowNs + 1;
        }
        return until.holds();
    }

    private void turn(final Side side) {
        if (world.isDead(side)) {
            return;
        }
        final App app = apps.of(side);
        while (app.queue.qdequeue(app.events, 0) > 0) {
            final ExsEvent event = app.events[0];
            if (event.kind() == EventKind.RECV) {
                ended++;
            } else {
                established++;
            }
            if (event.errno() != (event.kind() == EventKind.RECV ? Errno.ECONNRESET : 0)) {
                world.violations().report("errors are the right ones", side.toString(), event.toString());
            }
            final ExsSocket socket = event.kind() == EventKind.ACCEPT ? event.accepted() : event.socket();
            if (side == victim.other() && event.kind() != EventKind.RECV && socket != null) {
                ofSurvivor.add(socket);
            }
        }
    }
}
