package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.nio.RdpNetwork;
import io.vhca.rdp.nio.RdpSelectorProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a driver's own thread outlives, and when it ends; and what those of the application outlive. */
@Timeout(60)
class DriverThreadTest {
    private static final long LONG_S = 30;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(LONG_S);
    /** Of a thread that waits, before its turns are granted: so few never end its call. */
    private static final int FEW = 100;

    private final Drivers drivers = new Drivers();
    private final AtomicBoolean isRefusing = new AtomicBoolean();
    /** Of a thread that has sat down to wait. */
    private final AtomicInteger refusals = new AtomicInteger();

    private volatile int mostRefusals = Integer.MAX_VALUE;
    private volatile @Nullable RdpDriver refused;

    @AfterEach
    void close() {
        drivers.close();
    }

    private static <T> T with(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void aTurnThatTheDeviceFailsIsNotItsLast() throws InterruptedException {
        final AtomicInteger polls = new AtomicInteger();
        final CountDownLatch later = new CountDownLatch(2);
        final Context context = drivers.context(1);
        final Context failing = with(Context.class, (proxy, method, arguments) -> {
            final Object made = method.invoke(context, arguments);
            return !method.getName().equals("createCq") ? made : with(CompletionQueue.class, (cq, call, values) -> {
                if (call.getName().equals("poll")) {
                    later.countDown();
                    if (polls.getAndIncrement() == 0) {
                        throw new VerbsException("poll", Errno.EIO, "cq", "not now");
                    }
                }
                return call.invoke(made, values);
            });
        });
        try (RdpDriver driver = RdpDriver.open(failing, RdpConfig.DEFAULT, AccessControl.NONE)) {
            assertThat(later.await(LONG_S, TimeUnit.SECONDS)).as("there is a next turn").isTrue();
            assertThat(driver.missingBuffers()).isZero();
        }
    }

    /** The device refuses turns of the application's threads while the flag says so. */
    private RdpDriver refusing(final int last) {
        final Context context = drivers.context(last);
        final Context refusing = with(Context.class, (proxy, method, arguments) -> {
            final Object made = method.invoke(context, arguments);
            return !method.getName().equals("createEventChannel")
                    ? made
                    : with(CmEventChannel.class, (channel, call, values) -> {
                        if (call.getName().equals("getEvent") && isRefusing.get()
                                && !Thread.currentThread().getName().startsWith("vhca-") && refuses()) {
                            throw new VerbsException("getEvent", Errno.EIO, "channel", "not now");
                        }
                        return call.invoke(made, values);
                    });
        });
        final RdpDriver driver = RdpDriver.open(refusing, RdpConfig.DEFAULT, AccessControl.NONE);
        refused = driver;
        return driver;
    }

    /** Whether a turn is refused; those of a thread that has sat down are counted. */
    private boolean refuses() {
        final RdpDriver driver = refused;
        return driver == null || !driver.turns().isSeated() || refusals.getAndIncrement() < mostRefusals;
    }

    /** What a call comes to that waits while turns are refused, and goes on when they are not. */
    private <T> T outlived(final Callable<T> call, final Runnable then) throws Exception {
        mostRefusals = FEW;
        refusals.set(0);
        isRefusing.set(true);
        final FutureTask<T> task = new FutureTask<>(call);
        final Thread caller = Thread.ofPlatform().start(task);
        // One of two is where it sleeps.
        while (refusals.get() < 3 && caller.isAlive()) {
            Thread.onSpinWait();
        }
        isRefusing.set(false);
        then.run();
        return task.get();
    }

    @Test
    void aTurnThatTheDeviceRefusesEndsNoCallThatWaits() throws Exception {
        final ByteBuffer target = ByteBuffer.allocateDirect(64);
        try (RdpDriver driver = refusing(1);
                RdpSocket from = drivers.open(2).bind(0);
                RdpSocket to = driver.bind(4_000)) {
            final Runnable sending =
                    () -> assertThat(from.send(ByteBuffer.allocateDirect(64), to.localAddress(), LONG_NS))
                            .isEqualTo(SendResult.SENT);
            assertThat(outlived(() -> to.receive(target.clear(), LONG_NS), sending))
                    .isEqualTo(from.localAddress());
            assertThat(outlived(() -> to.awaitReadable(LONG_NS), sending)).isTrue();
        }
    }

    @Test
    void aDeviceThatRefusesEverythingForGoodEndsACallThatWaits() {
        try (RdpDriver driver = refusing(1);
                RdpSocket to = driver.bind(4_000)) {
            isRefusing.set(true);
            assertThatThrownBy(() -> to.receive(ByteBuffer.allocateDirect(64), Long.MAX_VALUE / 2))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("not now");
            isRefusing.set(false);
        }
    }

    @Test
    void aTurnThatTheDeviceRefusesEndsNoPoll() throws Exception {
        try (RdpDriver driver = refusing(1);
                RdpSocket from = drivers.open(2).bind(0);
                RdpSocket to = driver.bind(4_000);
                RdpPoller poller = driver.poller()) {
            poller.add(to, RdpPoller.READABLE);
            isRefusing.set(true);
            assertThat(poller.poll(0)).isEmpty();
            final Runnable sending =
                    () -> assertThat(from.send(ByteBuffer.allocateDirect(64), to.localAddress(), LONG_NS))
                            .isEqualTo(SendResult.SENT);
            assertThat(outlived(() -> poller.poll(LONG_NS), sending)).containsExactly(to);
        }
    }

    @Test
    void aTurnThatTheDeviceRefusesEndsNoSendThatWaits() throws Exception {
        try (RdpDriver driver = refusing(1);
                RdpSocket from = driver.bind(0);
                RdpSocket to = driver.bind(4_000)) {
            final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
            to.receiveBufferBytes(1);
            SendResult result = SendResult.SENT;
            while (result == SendResult.SENT) {
                result = from.send(datagram.clear(), to.localAddress());
            }
            final Runnable receiving = () -> {
                while (to.receive(ByteBuffer.allocateDirect(64)) != null) {
                    Thread.onSpinWait();
                }
            };
            assertThat(outlived(() -> from.send(datagram.clear(), to.localAddress(), LONG_NS), receiving))
                    .isEqualTo(SendResult.SENT);
        }
    }

    @Test
    void aTurnThatTheDeviceRefusesEndsNoReceiveOfAChannel() throws Exception {
        try (RdpDriver driver = refusing(1);
                RdpSocket from = drivers.open(2).bind(0)) {
            final RdpSelectorProvider provider = new RdpSelectorProvider(List.of(new RdpNetwork(driver)));
            try (DatagramChannel to = provider.openDatagramChannel()) {
                final InetSocketAddress at = new InetSocketAddress(driver.address(), 4_000);
                to.bind(at);
                final Runnable sending = () -> assertThat(from.send(ByteBuffer.allocateDirect(64), at, LONG_NS))
                        .isEqualTo(SendResult.SENT);
                assertThat(outlived(() -> to.receive(ByteBuffer.allocateDirect(64)), sending))
                        .isEqualTo(from.localAddress());
            }
        }
    }

    @Test
    void whoClosesADriverThatAnotherOneClosesWaitsForThat() throws InterruptedException {
        final CountDownLatch isClosing = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final AtomicInteger closes = new AtomicInteger();
        final Context context = drivers.context(1);
        final Context slow = with(Context.class, (proxy, method, arguments) -> {
            final Object made = method.invoke(context, arguments);
            return !method.getName().equals("createCompChannel")
                    ? made
                    : with(CompletionChannel.class, (channel, call, values) -> {
                        if (call.getName().equals("close")) {
                            closes.incrementAndGet();
                            isClosing.countDown();
                            assertThat(mayGoOn.await(LONG_S, TimeUnit.SECONDS)).isTrue();
                        }
                        return call.invoke(made, values);
                    });
        });
        final RdpDriver driver = RdpDriver.driven(slow, RdpConfig.DEFAULT, new SplittableRandom(1), 0);
        final Thread first = Thread.ofPlatform().start(driver::close);
        assertThat(isClosing.await(LONG_S, TimeUnit.SECONDS)).isTrue();
        final Thread second = Thread.ofPlatform().start(driver::close);
        while (second.getState() != Thread.State.BLOCKED && second.isAlive()) {
            Thread.onSpinWait();
        }
        final boolean hasWaited = second.isAlive();
        mayGoOn.countDown();
        first.join();
        second.join();
        assertThat(hasWaited).isTrue();
        assertThat(closes).hasValue(1);
    }
}
