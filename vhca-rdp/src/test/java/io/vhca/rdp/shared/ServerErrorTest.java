package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.EndRequest;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.unix.UnixListener;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the driver's process has no memory for: a call ends its client alone, a turn or an accept of its own nobody. */
@Timeout(60)
class ServerErrorTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** The same device, but that calls of its event channel find the heap full. */
    private static Context full(final Context context, final Predicate<String> finds) {
        return failing(context, finds, new OutOfMemoryError("for a moment"));
    }

    private static Context failing(final Context context, final Predicate<String> finds, final Error error) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    final Object made = method.invoke(context, arguments);
                    return !method.getName().equals("createEventChannel")
                            ? made
                            : Proxy.newProxyInstance(
                                    Context.class.getClassLoader(), new Class<?>[] {CmEventChannel.class},
                                    (channel, call, values) -> {
                                        if (finds.test(call.getName())) {
                                            throw error;
                                        }
                                        return call.invoke(made, values);
                                    });
                });
    }

    /** All clients depend on the thread whose turn that is. */
    @Test
    void aTurnThatFailsEndsNobody() {
        final AtomicBoolean isFull = new AtomicBoolean();
        final AtomicInteger failed = new AtomicInteger();
        try (SharedDrivers all = new SharedDrivers(directory)) {
            final Context context = full(all.drivers().context(45), call -> isFull.get()
                    && call.equals("getEvent")
                    && Thread.currentThread().getName().startsWith("vhca-rdp-shared")
                    && failed.getAndIncrement() >= 0);
            try (RdpDriver driver = RdpDriver.open(context, RdpConfig.DEFAULT, AccessControl.NONE);
                    SharedServer _ = SharedServer.open(driver);
                    SharedDriver before = SharedDriver.attach(driver.name())) {
                final RdpSocket socket = before.bind(4000);
                isFull.set(true);
                while (failed.get() == 0) {
                    assertThat(socket.pending()).isZero();
                }
                isFull.set(false);
                assertThat(socket.pending()).isZero();
                try (SharedDriver after = SharedDriver.attach(driver.name())) {
                    assertThat(after.bind(4001).send(ByteBuffer.allocate(10), socket.localAddress(), LONG_NS))
                            .isEqualTo(SendResult.SENT);
                }
                assertThat(socket.receive(ByteBuffer.allocate(10), LONG_NS)).isNotNull();
            }
        }
    }

    /** The turns of a server whose second accept finds the heap full, and whose third one fails by something else. */
    private static ServerTurns unsteady(
            final RdpDriver driver, final ServerSocketChannel channel, final AtomicInteger accepts) throws IOException {
        channel.bind(UnixDomainSocketAddress.of(AttachPath.of(driver.name()))).configureBlocking(false);
        final UnixListener.Acceptor acceptor = () -> switch (accepts.incrementAndGet()) {
            case 2 -> throw new OutOfMemoryError("for a moment");
            case 3 -> throw new IllegalStateException("for another one");
            default -> channel.accept();
        };
        return new ServerTurns(driver, acceptor, channel.register(Selector.open(), SelectionKey.OP_ACCEPT));
    }

    @Test
    void anAcceptThatFailsEndsNobody() throws Exception {
        final AtomicInteger accepts = new AtomicInteger();
        final AtomicBoolean isOver = new AtomicBoolean();
        try (SharedDrivers all = new SharedDrivers(directory);
                ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            final RdpDriver driver = all.open(46);
            final ServerTurns turns = unsteady(driver, channel, accepts);
            final FutureTask<Boolean> serving = new FutureTask<>(() -> {
                try {
                    while (!isOver.get()) {
                        turns.turn(System.nanoTime());
                    }
                    return true;
                } finally {
                    turns.close();
                }
            });
            Thread.ofPlatform().start(serving);
            try (SharedDriver before = SharedDriver.attach(driver.name())) {
                final RdpSocket socket = before.bind(4000);
                try (SharedDriver after = SharedDriver.attach(driver.name())) {
                    assertThat(after.bind(4001).send(ByteBuffer.allocate(10), socket.localAddress(), LONG_NS))
                            .isEqualTo(SendResult.SENT);
                }
                assertThat(accepts).hasValueGreaterThan(3);
                assertThat(socket.receive(ByteBuffer.allocate(10), LONG_NS)).isNotNull();
            } finally {
                isOver.set(true);
                turns.wake();
                assertThat(serving.get()).isTrue();
            }
        }
    }

    /** What no turn outlives: the process of the driver ends then too, and not with 0. */
    @Test
    void whoRunsAServerHearsThatItsThreadHasEnded() {
        final AtomicBoolean isBroken = new AtomicBoolean();
        final AtomicReference<SharedServer> ended = new AtomicReference<>();
        try (SharedDrivers all = new SharedDrivers(directory); EndRequest end = new EndRequest()) {
            final Context context = failing(
                    all.drivers().context(47),
                    call -> isBroken.get() && call.equals("getEvent")
                            && Thread.currentThread().getName().startsWith("vhca-rdp-shared"),
                    new LinkageError("a class that is not there"));
            try (RdpDriver driver = RdpDriver.open(context, RdpConfig.DEFAULT, AccessControl.NONE);
                    SharedServer server = SharedServer.open(driver, () -> {
                        // It runs on the thread that ends, and does not wait for it.
                        Objects.requireNonNull(ended.get()).close();
                        end.ask();
                    });
                    SharedDriver client = SharedDriver.attach(driver.name())) {
                server.checkServing();
                ended.set(server);
                final RdpSocket socket = client.bind(4000);
                isBroken.set(true);
                end.await();
                assertThatThrownBy(server::checkServing).isInstanceOf(VerbsException.class).hasMessageContaining("EIO");
                assertThatThrownBy(socket::pending).isInstanceOf(VerbsException.class).hasMessageContaining("ENOTCONN");
            }
        }
    }

    @Test
    void anErrorOfOneCallEndsItsClientAlone() {
        try (SharedDrivers all = new SharedDrivers(directory)) {
            final AtomicInteger ids = new AtomicInteger();
            // The first is the listener, each other one a connect to another node.
            final Context context = full(
                    all.drivers().context(43), call -> call.equals("createId") && ids.getAndIncrement() > 0);
            try (RdpDriver driver = RdpDriver.open(context, RdpConfig.DEFAULT, AccessControl.NONE);
                    SharedServer server = SharedServer.open(driver);
                    SharedDriver other = SharedDriver.attach(driver.name());
                    SharedDriver unlucky = SharedDriver.attach(driver.name())) {
                final RdpSocket good = other.bind(4000);
                final RdpSocket bad = unlucky.bind(4001);
                final InetSocketAddress away = new InetSocketAddress(Drivers.own(44), 1);
                assertThatThrownBy(() -> bad.send(ByteBuffer.allocate(10), away))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("ENOTCONN");
                assertThat(driver.counters().get(Counter.CLIENTS_CORRUPT)).isEqualTo(1);
                assertThat(good.send(ByteBuffer.allocate(10), good.localAddress(), LONG_NS))
                        .isEqualTo(SendResult.SENT);
                assertThat(good.receive(ByteBuffer.allocate(10), LONG_NS)).isEqualTo(good.localAddress());
                assertThat(server.path()).exists();
            }
        }
    }
}
