package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Who waits for a driver that does not let a queue pair go. */
class DestroyingTest {
    private static final Executor ONE_EACH = task -> Thread.ofPlatform().daemon().start(task);
    private static final int MANY = 5_000;
    private static final long MOST_BYTES_OF_ONE = 2_000;

    private final Destroying destroying = new Destroying();
    private final List<String> destroyed = new CopyOnWriteArrayList<>();
    /** How many threads the host starts still. */
    private final AtomicInteger threadsLeft = new AtomicInteger();

    private final CountDownLatch packetsAreBack = new CountDownLatch(1);
    private final CountDownLatch allAreGone = new CountDownLatch(3);

    private IntSupplier verb(final String name, final int status) {
        return () -> {
            destroyed.add(name);
            allAreGone.countDown();
            return status;
        };
    }

    private int slowQueuePair() {
        return await(packetsAreBack) ? verb("qp", 0).getAsInt() : -110;
    }

    private static boolean await(final CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Destroying withThreads(final int count, final long patienceMs) {
        threadsLeft.set(count);
        return new Destroying(patienceMs, task -> {
            if (threadsLeft.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("unable to create native thread: planted");
            }
            ONE_EACH.execute(task);
        });
    }

    @Test
    void whatIsDestroyedAtOnceSaysHow() {
        final Destroying patient = new Destroying(TimeUnit.MINUTES.toMillis(1), ONE_EACH);
        assertThat(patient.queuePair(verb("qp", -22), false)).isEqualTo(-22);
        assertThat(patient.queuePair(verb("quiet qp", -5), true)).isEqualTo(-5);
        assertThat(patient.behindQueuePairs(verb("cq", -16))).isEqualTo(-16);
        assertThat(destroyed).containsExactly("qp", "quiet qp", "cq");
    }

    @Test
    void nobodyWaitsAndTheOrderIsKept() {
        assertThat(destroying.queuePair(this::slowQueuePair, true)).isZero();
        assertThat(destroying.behindQueuePairs(verb("cq", -16))).as("not known yet").isZero();
        assertThat(destroying.behindQueuePairs(verb("pd", 0))).isZero();
        assertThat(destroyed).as("what the queue pair refers to is still there").isEmpty();
        packetsAreBack.countDown();
        assertThat(await(allAreGone)).isTrue();
        assertThat(destroyed).containsExactly("qp", "cq", "pd");
    }

    @Test
    void whoIsInterruptedForgetsNoQueuePair() {
        Thread.currentThread().interrupt();
        assertThat(destroying.queuePair(this::slowQueuePair, true)).isZero();
        assertThat(Thread.interrupted()).as("it is told on").isTrue();
        assertThat(destroying.behindQueuePairs(verb("cq", 0))).isZero();
        assertThat(destroying.behindQueuePairs(verb("pd", 0))).isZero();
        assertThat(destroyed).as("what the queue pair refers to is still there").isEmpty();
        packetsAreBack.countDown();
        assertThat(await(allAreGone)).isTrue();
        assertThat(destroyed).containsExactly("qp", "cq", "pd");
    }

    @Test
    void whereNoThreadCanBeHadWhoClosesWaits() {
        final Destroying alone = withThreads(0, 0);
        assertThat(alone.queuePair(verb("qp", -5), true)).isEqualTo(-5);
        assertThat(alone.behindQueuePairs(verb("cq", 0))).isZero();
        assertThat(destroyed).containsExactly("qp", "cq");
        alone.requireOver("rxe0", true);
    }

    @Test
    void whatFollowsAQueuePairNeedsNoThreadOfItsOwn() {
        final Destroying poor = withThreads(1, 0);
        assertThat(poor.queuePair(this::slowQueuePair, true)).isZero();
        assertThat(poor.behindQueuePairs(verb("cq", 0))).isZero();
        assertThat(poor.behindQueuePairs(verb("pd", 0))).isZero();
        packetsAreBack.countDown();
        assertThat(await(allAreGone)).isTrue();
        assertThat(destroyed).containsExactly("qp", "cq", "pd");
        poor.requireOver("rxe0", true);
    }

    @Test
    void aDestroyThatThrowsKeepsNothingBehindItFromBeingDestroyed() {
        assertThat(destroying.queuePair(
                        () -> {
                            await(packetsAreBack);
                            throw new IllegalStateException("planted");
                        },
                        true))
                .isZero();
        assertThat(destroying.behindQueuePairs(verb("cq", 0))).isZero();
        packetsAreBack.countDown();
        destroying.requireOver("rxe0", true);
        assertThat(destroyed).containsExactly("cq");
    }

    /** Of those behind one, each is put behind the last: a look at all of them is what this would notice. */
    @Test
    void whatWaitsCostsTheSameHoweverMuchDoes() {
        final CountDownLatch all = new CountDownLatch(MANY);
        final IntSupplier one = () -> {
            all.countDown();
            return 0;
        };
        assertThat(destroying.queuePair(this::slowQueuePair, true)).isZero();
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MANY; i++) {
            assertThat(destroying.behindQueuePairs(one)).isZero();
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MANY * MOST_BYTES_OF_ONE);
        packetsAreBack.countDown();
        destroying.requireOver("rxe0", true);
        assertThat(all.getCount()).isZero();
    }

    @Test
    void whoMayNotWaitIsToldToTryAgain() {
        assertThat(destroying.queuePair(this::slowQueuePair, true)).isZero();
        assertThat(destroying.behindQueuePairs(verb("cq", 0))).isZero();
        assertThatThrownBy(() -> destroying.requireOver("rxe0", false))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContaining("try again later");
        packetsAreBack.countDown();
        destroying.requireOver("rxe0", true);
        assertThat(destroyed).containsExactly("qp", "cq");
        destroying.requireOver("rxe0", false);
    }
}
