package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the driver's process has no memory for: a call ends its client alone, a turn of its own nobody. */
@Timeout(60)
class ServerErrorTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** The same device, but that calls of its event channel find the heap full. */
    private static Context full(final Context context, final Predicate<String> finds) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    final Object made = method.invoke(context, arguments);
                    return !method.getName().equals("createEventChannel")
                            ? made
                            : Proxy.newProxyInstance(
                                    Context.class.getClassLoader(), new Class<?>[] {CmEventChannel.class},
                                    (channel, call, values) -> {
                                        if (finds.test(call.getName())) {
                                            throw new OutOfMemoryError("for a moment");
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
