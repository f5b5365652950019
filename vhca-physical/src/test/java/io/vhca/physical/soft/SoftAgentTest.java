package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.WorkCompletion;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the thread of a device does while others run the device. */
class SoftAgentTest {
    private static final int NAPS = 20;

    private final CountDownLatch isOwned = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private volatile @Nullable Thread poller;

    /** The poller stays where it owns the engine. */
    private Carrier stopping(final Carrier carrier) {
        return new ForwardingCarrier(carrier) {
            @Override
            public int receive(final PacketHandler handler, final int limit) {
                if (Thread.currentThread() == poller) {
                    isOwned.countDown();
                    try {
                        mayEnd.await();
                    } catch (final InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return super.receive(handler, limit);
            }
        };
    }

    private static long agent(final String device) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("vhca-" + device))
                .findFirst()
                .orElseThrow()
                .threadId();
    }

    @Test
    @Timeout(60)
    void itNapsWhileAnotherThreadRunsTheDevice() throws Exception {
        final SoftDevice device =
                SoftDevice.overUdp(new SoftConfig("soft-owned", OwnAddress.of(14), 1024), this::stopping);
        try (Arena arena = Arena.ofShared();
                Context context = device.open();
                CompletionQueue cq = context.createCq(4, null, null)) {
            final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
            final Thread owner = new Thread(() -> {
                // A poll wakes a device that dozes, and does nothing itself where the device's thread comes first.
                while (mayEnd.getCount() > 0) {
                    cq.poll(wc);
                }
            });
            poller = owner;
            owner.start();
            assertThat(isOwned.await(30, TimeUnit.SECONDS)).isTrue();
            final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            final long agent = agent(device.name());
            final long before = threads.getThreadInfo(agent).getWaitedCount();
            while (threads.getThreadInfo(agent).getWaitedCount() - before < NAPS) {
                Thread.onSpinWait();
            }
            mayEnd.countDown();
            owner.join();
        }
    }

    /** Its engine fails where the heap is full, and the log has no room for the line that would say so. */
    @Test
    @Timeout(60)
    void aDeviceWhoseEngineFailedIsGoneWhereTheLogFailsToo() throws Exception {
        final Logger logger = Logger.getLogger(SoftAgent.class.getName());
        final Handler full = new Handler() {
            @Override
            public void publish(final LogRecord line) {
                throw new OutOfMemoryError("planted: the heap is full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        final AtomicBoolean isFull = new AtomicBoolean();
        final SoftDevice device = SoftDevice.overUdp(
                new SoftConfig("soft-full", OwnAddress.of(15), 1024),
                carrier -> new ForwardingCarrier(carrier) {
                    @Override
                    public int receive(final PacketHandler handler, final int limit) {
                        if (isFull.get() && Thread.currentThread().getName().equals("vhca-soft-full")) {
                            throw new OutOfMemoryError("planted");
                        }
                        return super.receive(handler, limit);
                    }
                });
        logger.addHandler(full);
        try (Context context = device.open()) {
            isFull.set(true);
            @Nullable AsyncEvent told = null;
            while (told == null) {
                told = context.getAsyncEvent(TimeUnit.SECONDS.toNanos(1));
            }
            assertThat(told.type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        } finally {
            logger.removeHandler(full);
        }
    }
}
