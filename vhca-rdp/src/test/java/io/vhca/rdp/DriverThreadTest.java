package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a driver's own thread outlives, and when it ends. */
@Timeout(60)
class DriverThreadTest {
    private static final long LONG_S = 30;

    private final Drivers drivers = new Drivers();

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
