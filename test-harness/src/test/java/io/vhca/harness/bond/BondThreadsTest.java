package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.physical.soft.SoftDevice;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The data path's gates against recovery, with real threads: two post to one queue pair, one polls, one receives, while
 * links die one after another. The simulator, which has one thread, cannot see what goes wrong here.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondThreadsTest {
    private static final int POSTERS = 2;
    private static final int CUTS = 12;
    private static final int MESSAGES_BETWEEN = 300;
    private static final int STOP = -1;

    private final SoftDevice[] devices = {
        SoftBonds.soft("threads-a", 91), SoftBonds.soft("threads-b", 92),
        SoftBonds.soft("threads-c", 93), SoftBonds.soft("threads-d", 94)
    };
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong posted = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicBoolean isAllPosted = new AtomicBoolean();

    @Test
    void everyMessageOfEveryThreadArrivesOnceAndInOrder() throws InterruptedException, ExecutionException {
        try (Arena arena = Arena.ofShared();
                ExecutorService threads = Executors.newCachedThreadPool();
                BondContext client = SoftBonds.open("bond-x", devices[0], devices[1]);
                BondContext server = SoftBonds.open("bond-y", devices[2], devices[3]);
                RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection there = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept();
                MemoryRegion region = there.pd().regMr(arena.allocate(4096, 64), AccessFlags.LOCAL_WRITE)) {
            there.awaitEstablished();
            final Future<long[]> receiver = threads.submit(() -> receive(here));
            final Future<long[]> poller = threads.submit(() -> poll(there, arena));
            final Future<Long> first = threads.submit(poster(there, region, arena, 0));
            final Future<Long> second = threads.submit(poster(there, region, arena, 1));
            cutLinks(List.of(receiver, poller, first, second));
            isOver.set(true);
            final long[] sent = {first.get(), second.get()};
            isAllPosted.set(true);
            assertThat(poller.get()).as("completed, by thread").isEqualTo(sent);
            stop(there, region, arena);
            assertThat(receiver.get()).as("received, by thread").isEqualTo(sent);
            assertThat(client.failovers()).hasSizeGreaterThanOrEqualTo(CUTS / 4);
            assertThat(client.failovers()).allMatch(report -> report.error() == null);
        }
    }

    /** One port after another goes down for as long as it takes that many messages to arrive; never two at once. */
    private void cutLinks(final List<Future<?>> threads) throws InterruptedException, ExecutionException {
        for (int cut = 0; cut < CUTS; cut++) {
            final SoftDevice device = devices[cut * 5 % devices.length];
            device.setPortUp(false);
            awaitMessages(threads);
            device.setPortUp(true);
            awaitMessages(threads);
        }
    }

    /** None of the threads ends before it is told to, but by a failure, which is thrown here. */
    private void awaitMessages(final List<Future<?>> threads) throws InterruptedException, ExecutionException {
        final long until = received.get() + MESSAGES_BETWEEN;
        while (received.get() < until) {
            for (final Future<?> thread : threads) {
                if (thread.isDone()) {
                    throw new AssertionError("ended early with " + thread.get());
                }
            }
            Thread.yield();
        }
    }

    private Callable<Long> poster(
            final RdmaConnection to, final MemoryRegion region, final Arena arena, final int thread) {
        return () -> {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
            // Bytes stay as they are until the completion: a slot for each request that can be outstanding.
            final int slots = 64;
            long next = 0;
            while (!isOver.get()) {
                final long address = region.addr() + (thread * slots + next % slots) * Long.BYTES * 2;
                NativeMemory.putLong(address, Long.reverseBytes(thread));
                NativeMemory.putLong(address + Long.BYTES, Long.reverseBytes(next));
                final int result = to.qp().postSend(wr.wrId((long) thread << 32 | next)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.SIGNALED)
                        .sge(address, 2 * Long.BYTES, region.lkey()));
                if (result == 1) {
                    next++;
                    posted.incrementAndGet();
                } else {
                    assertThat(result).isEqualTo(-Errno.ENOMEM);
                    Thread.yield();
                }
            }
            return next;
        };
    }

    /** Completions so far by thread, each the next one of its thread; until everything posted is complete. */
    private long[] poll(final RdmaConnection connection, final Arena arena) {
        final WorkCompletion wc = WorkCompletion.allocate(arena, 4);
        final long[] next = new long[POSTERS];
        long total = 0;
        while (!isAllPosted.get() || total < posted.get()) {
            final int count = connection.cq().poll(wc);
            for (int i = 0; i < count; i++) {
                wc.at(i);
                assertThat(wc.statusName()).isEqualTo(WcStatus.SUCCESS);
                assertThat(wc.opcode()).isEqualTo(WcOpcode.SEND.code());
                final int thread = (int) (wc.wrId() >>> 32);
                assertThat(wc.wrId() & 0xFFFF_FFFFL).isEqualTo(next[thread]++);
                total++;
            }
            if (count == 0) {
                Thread.yield();
            }
        }
        return next;
    }

    private long[] receive(final RdmaConnection connection) {
        final long[] next = new long[POSTERS];
        while (true) {
            final ByteBuffer message = ByteBuffer.wrap(connection.receive());
            final int thread = (int) message.getLong();
            if (thread == STOP) {
                return next;
            }
            assertThat(message.getLong()).as("of thread %d", thread).isEqualTo(next[thread]++);
            received.incrementAndGet();
        }
    }

    private static void stop(final RdmaConnection to, final MemoryRegion region, final Arena arena) {
        NativeMemory.putLong(region.addr(), Long.reverseBytes(STOP));
        to.execute(SendWorkRequest.allocate(arena, 1)
                .opcode(WrOpcode.SEND)
                .sge(region.addr(), 2 * Long.BYTES, region.lkey()));
    }
}
