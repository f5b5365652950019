package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SpinGateTest {
    /** A poller that never pauses would otherwise keep recovery out of its queues for as long as it likes. */
    @Test
    void whoHasWaitedForLongIsLetInBeforeTheHolderComesAgain() throws InterruptedException {
        final SpinGate gate = new SpinGate();
        for (int round = 0; round < 100; round++) {
            final CountDownLatch mayLeave = new CountDownLatch(1);
            gate.enter();
            final Thread other = Thread.ofPlatform().start(() -> {
                gate.enter();
                try {
                    mayLeave.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                gate.leave();
            });
            while (!gate.isWaitedFor()) {
                Thread.onSpinWait();
            }
            gate.leave();
            for (int i = 0; i < 100; i++) {
                assertThat(gate.tryEnter()).as("round %d", round).isFalse();
            }
            mayLeave.countDown();
            other.join();
            assertThat(gate.tryEnter()).as("free again").isTrue();
            gate.leave();
        }
    }

    @Test
    void twoThreadsAreNeverInsideTheGateTogether() throws InterruptedException {
        final SpinGate gate = new SpinGate();
        final int[] count = new int[1];
        final Runnable work = () -> {
            for (int i = 0; i < 200_000; i++) {
                gate.enter();
                count[0]++;
                gate.leave();
            }
        };
        final Thread other = new Thread(work);
        other.start();
        work.run();
        other.join();
        assertThat(count[0]).isEqualTo(400_000);
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
    }

    @Test
    void whoPassesHasWaitedForWhoeverWasInside() throws InterruptedException {
        final SpinGate gate = new SpinGate();
        final CountDownLatch passed = new CountDownLatch(1);
        gate.enter();
        final Thread other = Thread.ofPlatform().start(() -> {
            gate.pass();
            passed.countDown();
        });
        while (!gate.isWaitedFor()) {
            Thread.onSpinWait();
        }
        assertThat(passed.getCount()).isEqualTo(1);
        gate.leave();
        other.join();
        assertThat(passed.getCount()).isZero();
    }
}
