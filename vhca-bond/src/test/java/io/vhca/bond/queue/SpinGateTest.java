package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

    /** Who is too late has changed nothing: the holder leaves, and others come and go. */
    @Test
    void whoIsTooLateDoesNotEnter() {
        final SpinGate gate = new SpinGate();
        assertThat(gate.enterUnless(() -> true)).as("nobody is inside").isTrue();
        inAnotherThread(() -> assertThat(gate.enterUnless(() -> true)).isFalse());
        gate.leave();
        inAnotherThread(() -> {
            assertThat(gate.enterUnless(() -> false)).isTrue();
            gate.leave();
        });
        assertThat(gate.tryEnter()).isTrue();
    }

    // ---- a gate that a thread is given ------------------------------------------------------------------------------

    /** Enters as often as it takes to be given the gate. */
    private static SpinGate given() {
        Assumptions.assumeTrue(Membarrier.IS_AVAILABLE, "the kernel has no membarrier");
        final SpinGate gate = new SpinGate();
        enter(gate, SpinGate.ENTRIES_BEFORE_BIAS + 1);
        assertThat(gate.isBiased()).isTrue();
        return gate;
    }

    private static void enter(final SpinGate gate, final int times) {
        for (int i = 0; i < times; i++) {
            gate.enter();
            gate.leave();
        }
    }

    /** What fails there fails here. */
    private static void inAnotherThread(final Runnable work) {
        CompletableFuture.runAsync(work, run -> Thread.ofPlatform().start(run)).join();
    }

    /** A thread that has the gate and stays inside keeps it; once it is out the gate is taken away. */
    @Test
    void whoIsTooLateLeavesTheGateToWhomItWasGiven() {
        final SpinGate gate = given();
        gate.enter();
        final AtomicBoolean hasEntered = new AtomicBoolean(true);
        inAnotherThread(() -> hasEntered.set(gate.enterUnless(() -> true)));
        assertThat(hasEntered.get()).isFalse();
        assertThat(gate.isBiased()).isTrue();
        gate.leave();
        gate.enter();
        gate.leave();
        inAnotherThread(() -> {
            hasEntered.set(gate.enterUnless(() -> true));
            gate.leave();
        });
        assertThat(hasEntered.get()).as("it is out").isTrue();
        assertThat(gate.isBiased()).isFalse();
        enter(gate, 1);
    }

    @Test
    void whoEntersOftenAndAloneIsGivenTheGate() {
        Assumptions.assumeTrue(Membarrier.IS_AVAILABLE, "the kernel has no membarrier");
        final SpinGate gate = new SpinGate();
        enter(gate, SpinGate.ENTRIES_BEFORE_BIAS);
        assertThat(gate.isBiased()).as("one more").isFalse();
        enter(gate, 1);
        assertThat(gate.isBiased()).isTrue();
    }

    @Test
    void whereThreadsShareItNobodyIsGivenTheGate() {
        final SpinGate gate = new SpinGate();
        for (int i = 0; i < 4; i++) {
            enter(gate, SpinGate.ENTRIES_BEFORE_BIAS);
            inAnotherThread(() -> enter(gate, SpinGate.ENTRIES_BEFORE_BIAS));
            assertThat(gate.isBiased()).isFalse();
        }
    }

    @Test
    void withoutTheSystemCallNobodyIsGivenTheGate() {
        final SpinGate gate = new SpinGate(false);
        enter(gate, 4 * SpinGate.ENTRIES_BEFORE_BIAS);
        assertThat(gate.isBiased()).isFalse();
    }

    @Test
    void itIsTakenAwayBySomebodyElseAndComesBackAfterTwiceAsLong() {
        final SpinGate gate = given();
        inAnotherThread(() -> enter(gate, 1));
        assertThat(gate.isBiased()).isFalse();
        enter(gate, 2 * SpinGate.ENTRIES_BEFORE_BIAS);
        assertThat(gate.isBiased()).as("one more").isFalse();
        enter(gate, 1);
        assertThat(gate.isBiased()).isTrue();
    }

    @Test
    void itIsNotEnteredTwiceByWhoHasIt() {
        final SpinGate gate = given();
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
        gate.leave();
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
        assertThat(gate.isBiased()).as("it is still its own").isTrue();
    }

    @Test
    void whoTriesGoesAwayWhileWhoHasItIsInsideAndElseTakesIt() {
        final SpinGate gate = given();
        final boolean[] entered = new boolean[2];
        gate.enter();
        inAnotherThread(() -> entered[0] = gate.tryEnter());
        gate.leave();
        assertThat(gate.isBiased()).as("nothing was taken").isTrue();
        inAnotherThread(() -> {
            entered[1] = gate.tryEnter();
            gate.leave();
        });
        assertThat(entered).containsExactly(false, true);
        assertThat(gate.isBiased()).isFalse();
    }

    /** It may have lost its core, or be a virtual thread that was taken off its carrier. */
    @Test
    void whoIsInsideIsWaitedForThoughItDoesNotRun() throws InterruptedException {
        for (final Thread.Builder kind : new Thread.Builder[] {Thread.ofPlatform(), Thread.ofVirtual()}) {
            final SpinGate gate = new SpinGate();
            final CountDownLatch isInside = new CountDownLatch(1);
            final CountDownLatch mayLeave = new CountDownLatch(1);
            final AtomicBoolean left = new AtomicBoolean();
            final Thread owner = kind.start(() -> {
                enter(gate, SpinGate.ENTRIES_BEFORE_BIAS + 1);
                gate.enter();
                isInside.countDown();
                try {
                    mayLeave.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                left.setPlain(true);
                gate.leave();
            });
            isInside.await();
            final CountDownLatch passed = new CountDownLatch(1);
            final boolean[] sawItLeave = new boolean[1];
            final Thread recovery = Thread.ofPlatform().start(() -> {
                gate.pass();
                sawItLeave[0] = left.getPlain();
                passed.countDown();
            });
            while (recovery.getState() == Thread.State.NEW || gate.isBiased()) {
                Thread.onSpinWait(); // until it has begun to take the gate away
            }
            assertThat(passed.getCount()).isEqualTo(1);
            mayLeave.countDown();
            owner.join();
            recovery.join();
            assertThat(sawItLeave[0]).isTrue();
        }
    }

    /** It lost the gate between its look at whose it is and its store that says that it is inside. */
    @Test
    void whoIsLateDoesNotDisturbWhoHasTheGateByThen() throws InterruptedException {
        final SpinGate gate = given();
        final GateBias late = gate.bias();
        final List<Boolean> entered = new ArrayList<>();
        inAnotherThread(() -> {
            gate.enter();
            gate.biasTo(Thread.currentThread());
            entered.add(late.enter());
            entered.add(gate.tryEnter());
        });
        assertThat(entered).as("the late one; and the other one is still inside").containsExactly(false, false);
        assertThat(gate.tryEnter()).isFalse();
    }

    /** Each takes the gate whenever it is in, so that it is taken away as often as can be. */
    @Test
    void twoThreadsAreNeverInsideTogetherThoughEachIsGivenTheGateInTurn() throws InterruptedException {
        Assumptions.assumeTrue(Membarrier.IS_AVAILABLE, "the kernel has no membarrier");
        final SpinGate gate = new SpinGate();
        final int[] count = new int[1];
        final Runnable work = () -> {
            for (int i = 0; i < 100_000; i++) {
                gate.enter();
                count[0]++;
                if (i % 100 == 0) {
                    gate.biasTo(Thread.currentThread());
                }
                gate.leave();
            }
        };
        final Thread other = new Thread(work);
        other.start();
        work.run();
        other.join();
        assertThat(count[0]).isEqualTo(200_000);
    }

    // ---- a gate of a queue that is used by one thread at a time -----------------------------------------------------

    private static SpinGate forOneThread() {
        Assumptions.assumeTrue(Membarrier.IS_AVAILABLE, "the kernel has no membarrier");
        final SpinGate gate = new SpinGate();
        gate.isForOneThread();
        return gate;
    }

    /** One call of the application's. */
    private static void call(final SpinGate gate) {
        gate.enterOwn();
        gate.leave();
    }

    @Test
    void whoeverCallsHasTheGateFromTheBeginning() {
        final SpinGate gate = forOneThread();
        final GateBias own = gate.bias();
        assertThat(gate.isBiased()).isTrue();
        call(gate);
        inAnotherThread(() -> call(gate));
        call(gate);
        assertThat(gate.isBiased()).isTrue();
        assertThat(gate.bias()).as("nothing was taken away").isSameAs(own);
    }

    private static void calls(final SpinGate gate, final int count) {
        for (int i = 0; i < count; i++) {
            call(gate);
        }
    }

    /** Also by the same thread, and what it finds when the application's call is under way. */
    @Test
    void whoComesForTheBondTakesItAndItIsGivenBackWhenNobodyComes() {
        final SpinGate gate = forOneThread();
        inAnotherThread(() -> {
            for (int i = 0; i < 3; i++) {
                gate.enter();
                assertThat(gate.isBiased()).isFalse();
                gate.leave();
                assertThat(gate.isBiased()).as("it may come again soon").isFalse();
            }
        });
        calls(gate, 2 * SpinGate.ENTRIES_BEFORE_BIAS);
        assertThat(gate.isBiased()).as("so many but for the first").isFalse();
        call(gate);
        assertThat(gate.isBiased()).isTrue();
        gate.enterOwn();
        assertThat(gate.tryEnter()).isFalse();
        inAnotherThread(() -> assertThat(gate.enterUnless(() -> true)).isFalse());
        gate.leave();
        assertThat(gate.tryEnter()).isTrue();
        gate.leave();
        assertThat(gate.isBiased()).isFalse();
        calls(gate, 4 * SpinGate.ENTRIES_BEFORE_BIAS);
        assertThat(gate.isBiased()).as("twice as many each time that it was taken away").isTrue();
    }

    @Test
    void aCallWaitsForWhoCameForTheBond() throws InterruptedException {
        final SpinGate gate = forOneThread();
        final int[] count = new int[1];
        gate.enter();
        final Thread caller = Thread.ofPlatform().start(() -> {
            gate.enterOwn();
            count[0]++;
            gate.leave();
        });
        while (!gate.isWaitedFor()) {
            Thread.onSpinWait();
        }
        assertThat(count[0]).isZero();
        gate.leave();
        caller.join();
        assertThat(count[0]).isEqualTo(1);
        calls(gate, 2 * SpinGate.ENTRIES_BEFORE_BIAS + 1);
        assertThat(gate.isBiased()).isTrue();
        call(gate);
    }

    @Test
    void twoCallsThatMeetAreFound() {
        final SpinGate gate = forOneThread();
        final List<Throwable> thrown = new ArrayList<>();
        gate.enterOwn();
        inAnotherThread(() -> {
            try {
                gate.enterOwn();
            } catch (final AssertionError e) {
                thrown.add(e);
            }
        });
        assertThat(thrown).singleElement().asString().contains("singleThreaded");
        gate.leave();
    }

    @Test
    void withoutTheSystemCallItIsAGateLikeAnyOther() {
        final SpinGate gate = new SpinGate(false);
        gate.isForOneThread();
        call(gate);
        assertThat(gate.isBiased()).isFalse();
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
    }

    @Test
    void aCallAndTheBondAreNeverInsideTogether() throws InterruptedException {
        Assumptions.assumeTrue(Membarrier.IS_AVAILABLE, "the kernel has no membarrier");
        // Given back as often as can be.
        final SpinGate gate = new SpinGate(true, 1);
        gate.isForOneThread();
        final int[] count = new int[1];
        final Thread bond = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20_000; i++) {
                gate.enter();
                count[0]++;
                gate.leave();
            }
        });
        for (int i = 0; i < 200_000; i++) {
            gate.enterOwn();
            count[0]++;
            gate.leave();
        }
        bond.join();
        assertThat(count[0]).isEqualTo(220_000);
    }
}
