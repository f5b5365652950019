package io.vhca.harness.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.exs.EventKind;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import io.vhca.exs.engine.PortTap;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.GreetingDescriptor;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Side;
import io.vhca.physical.soft.fabric.SimFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that nobody confirms, at a listener on a plain device; on virtual time. */
class UnconfirmedRequestTest {
    private static final int PORT = 7_471;
    private static final long TURN_NS = 50_000;
    /** The connection manager gives no answer up before some seconds have passed. */
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final SimFabric fabric = ExsSimJob.fabric();
    private final ExsWorld world = ExsWorld.plain(1, fabric, false);
    private final Exs clients = exs(Side.LEFT);
    private final Exs servers = exs(Side.RIGHT);
    private final ExsQueue ofClients = clients.qcreate(16);
    private final ExsQueue ofServers = servers.qcreate(16);
    private final ExsSocket listener = servers.socket(SocketType.STREAM);
    private final CmEventChannel channel = world.context(Side.LEFT).createEventChannel();
    /** It has no queue pair, so nobody confirms for it. */
    private final CmId stranger = channel.createId(CmPortSpace.TCP, null);

    private final List<CmEventType> told = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private long nowNs = world.startNs();
    private long nextTurnNs = world.startNs();

    @AfterEach
    void close() {
        stranger.close();
        channel.close();
        clients.close();
        servers.close();
        world.close();
        fabric.close();
    }

    private Exs exs(final Side side) {
        final ExsOptions options = new ExsOptions(8, 100, 8, 8, 0, 0, false);
        return Exs.init(Exs.VERSION, world.context(side), options, PortTap.NONE, () -> nowNs);
    }

    private void listen(final int backlog) {
        listener.bind(world.address(Side.RIGHT, PORT));
        listener.listen(backlog);
    }

    private void connect(final String cookie) {
        clients.socket(SocketType.STREAM).connect(world.address(Side.RIGHT, PORT), ofClients, cookie);
    }

    private void accept(final String cookie) {
        listener.accept(ofServers, cookie);
    }

    private void take(final ExsQueue queue) {
        final ExsEvent[] events = {new ExsEvent()};
        while (queue.qdequeue(events, 0) > 0) {
            final ExsEvent event = events[0];
            seen.add((event.kind() == EventKind.ACCEPT ? "accepted" : "connected") + " " + event.cookie() + " "
                    + event.errno());
        }
    }

    private void turn() {
        clients.doWork(nowNs);
        servers.doWork(nowNs);
        take(ofClients);
        take(ofServers);
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            event.ack();
            told.add(event.type());
            if (event.type() == CmEventType.ADDR_RESOLVED) {
                stranger.resolveRoute(1_000);
            } else if (event.type() == CmEventType.ROUTE_RESOLVED) {
                final byte[] greeting = GreetingDescriptor.encode(new Greeting(1, 1, 1, 1, 8, 8, 140));
                stranger.connect(new ConnectParameters(greeting, 0, 0, 0, 0, 0x77, 0));
            }
        }
    }

    private boolean soon(final BooleanSupplier until) {
        final long endNs = nowNs + SOON_NS;
        while (nowNs - endNs < 0 && !until.getAsBoolean()) {
            while (world.doWork(nowNs) > 0) {
                assertThat(world.violations().isEmpty()).isTrue();
            }
            if (nowNs - nextTurnNs >= 0) {
                turn();
                nextTurnNs = nowNs + TURN_NS;
            }
            final long next = Deadlines.earlier(world.nextDeadlineNs(), nextTurnNs);
            nowNs = next - nowNs > 0 ? next : nowNs + 1;
        }
        return until.getAsBoolean();
    }

    private void pass() {
        assertThat(soon(() -> false)).isFalse();
    }

    /** The stranger's request is at the listener, which has answered it where it does that at once. */
    private void ask() {
        stranger.resolveAddr(null, world.address(Side.RIGHT, PORT), 1_000);
        pass();
    }

    @Test
    void anAcceptIsOfWhoConfirmsFirst() {
        listen(4);
        accept("first");
        ask();
        assertThat(told).endsWith(CmEventType.CONNECT_RESPONSE);
        connect("honest");
        assertThat(soon(() -> seen.size() == 2)).as("%s", seen).isTrue();
        assertThat(seen).containsExactlyInAnyOrder("connected honest 0", "accepted first 0");
        accept("second");
        stranger.accept(ConnectParameters.of(new byte[0]));
        assertThat(soon(() -> seen.size() == 3)).isTrue();
        assertThat(seen).endsWith("accepted second 0");
    }

    @Test
    void aRequestThatWasWithdrawnKeepsNoPlace() {
        listen(1);
        ask();
        stranger.close();
        pass();
        connect("honest");
        pass();
        accept("first");
        assertThat(soon(() -> seen.size() == 2)).as("%s", seen).isTrue();
        assertThat(seen).contains("connected honest 0", "accepted first 0");
    }
}
