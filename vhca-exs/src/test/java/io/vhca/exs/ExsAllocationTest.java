package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounds of send and receive allocate nothing: what the thread that drives both ends allocates is counted. */
class ExsAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int ROUNDS = 20_000;

    @ParameterizedTest
    @CsvSource({"soft, STREAM, 64, false", "soft, SEQPACKET, 64, false", "soft, STREAM, 4096, false",
        "soft, STREAM, 4096, true", "bond, STREAM, 64, false", "bond, STREAM, 4096, true"})
    void aRoundOfSendAndReceiveAllocatesNothing(
            final String device, final SocketType type, final int length, final boolean isReceiveFirst) {
        final boolean isBond = "bond".equals(device);
        try (ExsWorld world = new ExsWorld(isBond ? "bond0" : "soft0", isBond ? "bond1" : "soft2")) {
            final ExsSocket[] pair = world.connect(type);
            final ExsMemory from = world.left.exs.mregister(world.filled(length));
            final ExsMemory into = world.right.exs.mregister(world.arena.allocate(length, 64));
            final ExsEvent[] events = {new ExsEvent()};
            rounds(WARM_UP, world, pair, from, into, events, isReceiveFirst);
            final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            final long before = threads.getCurrentThreadAllocatedBytes();
            rounds(ROUNDS, world, pair, from, into, events, isReceiveFirst);
            final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d rounds", ROUNDS).isLessThan(ROUNDS);
        }
    }

    private static void rounds(
            final int rounds, final ExsWorld world, final ExsSocket[] pair, final ExsMemory from, final ExsMemory into,
            final ExsEvent[] events, final boolean isReceiveFirst) {
        for (int round = 0; round < rounds; round++) {
            if (isReceiveFirst) {
                pair[1].recv(into, 0, into.lengthBytes(), 0, world.right.queue, null);
                world.left.queue.qdequeue(events, 0);
            }
            pair[0].send(from, 0, from.lengthBytes(), 0, world.left.queue, null);
            if (!isReceiveFirst) {
                pair[1].recv(into, 0, into.lengthBytes(), 0, world.right.queue, null);
            }
            boolean isSent = false;
            boolean isReceived = false;
            while (!isSent || !isReceived) {
                isSent |= world.left.queue.qdequeue(events, 0) > 0;
                isReceived |= world.right.queue.qdequeue(events, 0) > 0;
                if (Thread.currentThread().isInterrupted()) {
                    throw new AssertionError("timed out: " + pair[0].failure() + pair[1].failure());
                }
            }
            if (events[0].errno() != 0) {
                throw new AssertionError(events[0]);
            }
        }
    }
}
