package io.vhca.rdp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.wire.Hello;
import io.vhca.rdp.wire.Reject;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that are called by other names than their own, beside a device that calls and answers as a driver would. */
@Timeout(120)
class ConnectionsTest {
    private static final int PORT = 4_000;
    private static final int SESSION = 12_345;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int RESOLVE_MS = 5_000;

    private final Drivers drivers = new Drivers();
    private final RdpDriver left = RdpDriver.open(late(drivers.context(1)), RdpConfig.DEFAULT);
    private final RdpDriver right = drivers.open(2);
    private final Context device = drivers.context(3);
    private final CmEventChannel channel = device.createEventChannel();
    private final RdpSocket from = left.bind(0);
    private final RdpSocket to = right.bind(PORT);
    private final InetSocketAddress stranger = new InetSocketAddress(Drivers.own(3), PORT);

    private final List<CmId> listeners = new ArrayList<>();
    private final List<CmEventChannel> channels = new ArrayList<>();

    @AfterEach
    void close() {
        listeners.forEach(CmId::close);
        channels.forEach(CmEventChannel::close);
        channel.close();
        left.close();
        drivers.close();
    }

    private static <T> T with(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Tells of each event when what was completed before it was taken, and a turn is over. */
    private static Context late(final Context context) {
        return with(Context.class, (proxy, method, arguments) -> {
            final Object made = method.invoke(context, arguments);
            return made instanceof final CmEventChannel inTime ? late(inTime) : made;
        });
    }

    private static CmEventChannel late(final CmEventChannel inTime) {
        final Queue<CmEvent> held = new ArrayDeque<>();
        final AtomicInteger turns = new AtomicInteger();
        return with(CmEventChannel.class, (proxy, method, arguments) -> {
            final boolean isHeld = !held.isEmpty();
            if (isHeld && method.getName().equals("onEvent")) {
                ((Runnable) arguments[0]).run();
            }
            if (isHeld && method.getName().equals("getEvent")) {
                return turns.getAndIncrement() == 0 ? null : held.poll();
            }
            final Object made = method.invoke(inTime, arguments);
            if (!(made instanceof final CmEvent event)) {
                return made;
            }
            held.add(event);
            turns.set(0);
            return null;
        });
    }

    private SendResult send(final InetSocketAddress destination) {
        return from.send(ByteBuffer.allocateDirect(8), destination, LONG_NS);
    }

    private void assertArrives() {
        assertThat(to.receive(ByteBuffer.allocateDirect(8), LONG_NS)).isEqualTo(from.localAddress());
    }

    /** Who calls, and what comes of it. */
    private final class Caller implements AutoCloseable {
        private final ProtectionDomain pd = device.allocPd();
        private final CompletionQueue cq = device.createCq(16, null, null);
        private final CmId id = channel.createId(CmPortSpace.TCP, null);

        private CmEvent next() {
            final CmEvent event = channel.getEvent(LONG_NS);
            if (event == null) {
                throw new AssertionError("no event came");
            }
            event.ack();
            return event;
        }

        /** As the left driver does that has begun another session. */
        private CmEvent call(final boolean asksName) {
            id.resolveAddr(null, new InetSocketAddress(right.address(), RdpConfig.DEFAULT_PORT), RESOLVE_MS);
            assertThat(next().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
            id.resolveRoute(RESOLVE_MS);
            assertThat(next().type()).isEqualTo(CmEventType.ROUTE_RESOLVED);
            id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)));
            id.connect(ConnectParameters.of(new Hello(
                            0, RdpConfig.DEFAULT.lanes(), RdpConfig.DEFAULT.sizeClasses().getFirst(), 16, 16, SESSION,
                            left.address(), true, asksName)
                    .encode()));
            return next();
        }

        @Override
        public void close() {
            id.close();
            cq.close();
            pd.close();
        }
    }

    @Test
    void aCallThatAsksForTheNameEndsNoSession() {
        assertThat(send(to.localAddress())).isEqualTo(SendResult.SENT);
        assertArrives();
        try (Caller caller = new Caller()) {
            final CmEvent answer = caller.call(true);
            assertThat(answer.type()).isEqualTo(CmEventType.REJECTED);
            assertThat(Reject.decode(answer.privateData()))
                    .isEqualTo(new Reject(Reject.Reason.NAMED, right.address()));
        }
        assertThat(send(to.localAddress())).isEqualTo(SendResult.SENT);
        assertArrives();
        for (final RdpDriver driver : List.of(left, right)) {
            assertThat(driver.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
            assertThat(driver.counters().get(Counter.PATHS_FAILED)).isZero();
            assertThat(driver.counters().get(Counter.FOREIGN)).isZero();
        }
    }

    @Test
    void aCallOfWhoKnowsTheNameTakesThePlaceOfWhatThereWas() {
        assertThat(send(to.localAddress())).isEqualTo(SendResult.SENT);
        try (Caller caller = new Caller()) {
            final CmEvent answer = caller.call(false);
            assertThat(answer.type()).isEqualTo(CmEventType.ESTABLISHED);
            final Hello hello = Hello.decode(answer.privateData());
            assertThat(hello).isNotNull().extracting(Hello::address).isEqualTo(right.address());
            assertThat(hello).extracting(Hello::asksName).isEqualTo(false);
        }
    }

    /** Listens as a node does. */
    private void listen(final Context context, final CmEventChannel by) {
        final CmId id = by.createId(CmPortSpace.TCP, null);
        id.bindAddr(new InetSocketAddress(context.ipGid(1).address(), RdpConfig.DEFAULT_PORT));
        id.listen(16);
        listeners.add(id);
    }

    /** Answers each call until it is known what became of the send; whether they asked for the name, in their order. */
    private static List<Boolean> refuseAll(
            final CmEventChannel by, final CompletableFuture<SendResult> sent, final InetAddress name) {
        final List<Boolean> asked = new ArrayList<>();
        int last = 0;
        while (!sent.isDone()) {
            final CmEvent event = by.getEvent(LOOK_NS);
            final @Nullable Hello hello = event == null ? null : Hello.decode(event.privateData());
            if (event == null || hello == null || event.type() != CmEventType.CONNECT_REQUEST) {
                continue;
            }
            event.ack();
            event.id().reject(new Reject(Reject.Reason.NAMED, name).encode());
            event.id().close();
            if (asked.isEmpty() || hello.session() != last) {
                asked.add(hello.asksName());
                last = hello.session();
            }
        }
        return asked;
    }

    @Test
    void whoIsToldAnotherNameGoesThere() {
        listen(device, channel);
        assertThat(send(to.localAddress())).isEqualTo(SendResult.SENT);
        assertArrives();
        final CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> send(stranger), THREADS);
        assertThat(refuseAll(channel, sent, right.address())).containsExactly(true);
        assertThat(sent.join()).isEqualTo(SendResult.SENT);
        assertArrives();
        assertThat(from.nameOf(stranger)).isEqualTo(to.localAddress());
        assertThat(left.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
        assertThat(left.counters().get(Counter.PATHS_FAILED)).isZero();
    }

    /** Nothing of that node is known here: what is connected there is of a process before this one. */
    @Test
    void whoIsToldTheNameThatHeCalledDoesNotAskAgain() {
        listen(device, channel);
        final CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> send(stranger), THREADS);
        assertThat(refuseAll(channel, sent, stranger.getAddress())).containsExactly(true, false);
        assertThat(sent.join()).isEqualTo(SendResult.UNREACHABLE);
        assertThat(left.counters().get(Counter.PATHS_FAILED)).isEqualTo(1);
    }

    @Test
    void twoThatSayTheNamesOfEachOtherAreUnreachable() {
        final Context other = drivers.context(4);
        channels.add(other.createEventChannel());
        final CmEventChannel ofOther = channels.getFirst();
        listen(device, channel);
        listen(other, ofOther);
        final CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> send(stranger), THREADS);
        final CompletableFuture<List<Boolean>> asked =
                CompletableFuture.supplyAsync(() -> refuseAll(ofOther, sent, Drivers.own(3)), THREADS);
        assertThat(refuseAll(channel, sent, Drivers.own(4))).containsExactly(true);
        assertThat(asked.join()).containsExactly(false);
        assertThat(sent.join()).isEqualTo(SendResult.UNREACHABLE);
        assertThat(left.counters().get(Counter.FOREIGN)).isPositive();
    }

    @Test
    void anotherNodeThatHasTheNameOfThisOneIsUnreachable() {
        final RdpSocket own = left.bind(PORT);
        listen(device, channel);
        final CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> send(stranger), THREADS);
        assertThat(refuseAll(channel, sent, left.address())).containsExactly(true);
        assertThat(sent.join()).isEqualTo(SendResult.UNREACHABLE);
        assertThat(left.counters().get(Counter.FOREIGN)).isPositive();
        assertThat(own.pending()).isZero();
    }
}
