package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who sits on the completions of a driver, and who is woken where. */
@Timeout(60)
class CompletionSeatTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Words words = new Words();
    private final CompletionSeat seat = new CompletionSeat(words);

    /** Counts the words for who waits on it. */
    private static final class Words implements CompletionChannel {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public Context context() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
            throw new AssertionError("nobody waits");
        }

        @Override
        public void wakeUp() {
            count.getAndIncrement();
        }

        @Override
        public void close() {
            throw new AssertionError("it is not the seat's");
        }
    }

    @Test
    void oneHasItUntilItLeaves() {
        assertThat(seat.isTaken()).isFalse();
        assertThat(seat.take()).isTrue();
        assertThat(seat.take()).as("it has it").isFalse();
        assertThat(seat.isMine()).isTrue();
        elsewhere(() -> {
            assertThat(seat.take()).isFalse();
            assertThat(seat.isMine()).isFalse();
            assertThat(seat.leave()).isFalse();
        });
        assertThat(seat.isTaken()).isTrue();
        assertThat(seat.leave()).as("nobody waits for it").isFalse();
        assertThat(seat.isTaken()).isFalse();
        elsewhere(() -> assertThat(seat.take()).isTrue());
    }

    @Test
    void aVirtualThreadDoesNotKeepItsCarrierThere() throws InterruptedException {
        final CompletableFuture<Boolean> taken = new CompletableFuture<>();
        Thread.startVirtualThread(() -> taken.complete(seat.take())).join();
        assertThat(taken).isCompletedWithValue(false);
    }

    @Test
    void whoSitsIsWokenThereAndOthersWhereTheyPark() {
        seat.take();
        final Thread sitter = Thread.currentThread();
        seat.wake(sitter);
        assertThat(words.count).as("who finds something for itself needs no word").hasValue(0);
        elsewhere(() -> seat.wake(sitter));
        assertThat(words.count).hasValue(1);
        elsewhere(() -> {
            seat.wake(Thread.currentThread());
            // Returns at once: it has been unparked.
            LockSupport.park(this);
        });
        assertThat(words.count).as("a word for another one is not for who sits").hasValue(1);
        seat.passOn();
        assertThat(words.count).as("what was taken in its place").hasValue(2);
        seat.leave();
        seat.passOn();
        assertThat(words.count).as("nobody sits there").hasValue(2);
    }

    @Test
    void whoLeavesIsToldOfThoseWhoWait() throws InterruptedException {
        seat.take();
        final CountDownLatch over = new CountDownLatch(1);
        final Thread other = Thread.ofPlatform().start(() -> {
            while (over.getCount() > 0) {
                seat.park(LONG_NS);
            }
        });
        // It looks after each millisecond, and is counted but for a moment between.
        boolean isTold = seat.leave();
        while (!isTold) {
            assertThat(seat.take()).isTrue();
            Thread.onSpinWait();
            isTold = seat.leave();
        }
        over.countDown();
        other.join();
        assertThat(seat.take()).isTrue();
        assertThat(seat.leave()).as("nobody waits any more").isFalse();
    }

    private static void elsewhere(final Runnable what) {
        CompletableFuture.runAsync(what, run -> Thread.ofPlatform().start(run)).join();
    }
}
