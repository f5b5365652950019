package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What send and receive queues share. */
class VirtualQueueTest {
    private static final int CAPACITY = 4;
    private static final int QP_NUM = 0x1234;
    private static final int POSTS = 300_000;
    private static final String SENDS = "sends";

    private final Arena arena = Arena.ofConfined();
    private final NativeBlock block = new NativeBlock("bond0", 1, 1 << 20);
    private final FakeQueueOwner owner = new FakeQueueOwner();
    private final FakeQueuePair hardware = new FakeQueuePair();
    private final LocalKeys localKeys = new LocalKeys(1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);

    @AfterEach
    void close() {
        block.close();
        arena.close();
    }

    private VirtualQueue queue(final String kind) {
        final VirtualQueue made = kind.equals(SENDS)
                ? new VirtualSendQueue(
                        owner, localKeys, new ConnectedSlots(block, CAPACITY, 1, 0), CAPACITY, 1, false,
                        AtomicCapability.NONE, false)
                : new VirtualRecvQueue(owner, localKeys, block, CAPACITY, 1);
        made.accepting(true, false);
        return made;
    }

    private int post(final VirtualQueue queue, final long wrId) {
        if (queue instanceof VirtualSendQueue sends) {
            return sends.post(SendWorkRequest.allocate(arena, 1)
                    .wrId(wrId).opcode(WrOpcode.SEND).numSge(0).address());
        }
        return ((VirtualRecvQueue) queue).post(RecvWorkRequest.allocate(arena, 1).wrId(wrId).numSge(0).address());
    }

    private static void attachAndOpen(final VirtualQueue queue, final FakeQueuePair to, final int incarnation) {
        if (queue instanceof VirtualSendQueue sends) {
            sends.attach(to, 0, PhysicalWrId.prefix(PhysicalWrId.KIND_SEND, incarnation, 3), null);
            sends.openGate();
        } else {
            ((VirtualRecvQueue) queue)
                    .attachAndOpen(to, 0, PhysicalWrId.prefix(PhysicalWrId.KIND_RECV, incarnation, 3));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void wherePostsLookFirstNothingGoesIntoMemoryThatIsNotWhole(final String kind) {
        final VirtualQueue queue = queue(kind);
        queue.accepting(true, true);
        for (int id = 0; id < CAPACITY; id++) {
            assertThat(post(queue, 70 + id)).isEqualTo(1);
        }
        assertThat(post(queue, 99)).as("full").isEqualTo(-Errno.ENOMEM);
        queue.retireThrough(0);
        owner.isWhole = false;
        assertThat(post(queue, 99)).isEqualTo(-Errno.EIO);
        assertThat(owner.overruns).isOne();
        assertThat(queue.producerInside()).isEqualTo(CAPACITY);
        queue.accepting(false, true);
        assertThat(post(queue, 99)).isEqualTo(-Errno.EINVAL);
        assertThat(owner.overruns).isOne();
    }

    /** The second of a chain is refused, in either kind of queue, and the one that comes next begins another chain. */
    @Test
    void whereEachUseIsCheckedARefusalNamesTheRequestAndItsField() {
        final VirtualSendQueue sends = (VirtualSendQueue) queue(SENDS);
        sends.accepting(true, true);
        final SendWorkRequest wrong = SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND).numSge(3);
        final SendWorkRequest first =
                SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND).numSge(0).next(wrong.address());
        assertThat(sends.post(first.address())).isEqualTo(1);
        assertThat(sends.post(wrong.address())).isEqualTo(-Errno.EINVAL);
        assertThat(sends.post(wrong.numSge(1).opcode(WrOpcode.ATOMIC_CMP_AND_SWP).address()))
                .isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(sends.post(wrong.opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.INLINE).sge(arena.allocate(8).address(), 8, 0).address()))
                .isEqualTo(-Errno.EINVAL);
        assertThat(sends.post(wrong.opcode(WrOpcode.RDMA_READ).address())).isEqualTo(-Errno.EINVAL);
        final VirtualRecvQueue receives = (VirtualRecvQueue) queue("receives");
        receives.accepting(true, true);
        assertThat(receives.post(RecvWorkRequest.allocate(arena, 1).numSge(2).address())).isEqualTo(-Errno.EINVAL);
        receives.accepting(false, true);
        assertThat(post(receives, 1)).isEqualTo(-Errno.EINVAL);
        assertThat(owner.refusedPosts).satisfiesExactly(
                told -> assertThat(told).startsWith("postSend 1 -22 num_sge is 3, the queue was created for 0 .. 1"),
                told -> assertThat(told).startsWith("postSend 0 -22 num_sge is 3"),
                told -> assertThat(told).startsWith("postSend 0 -95 opcode is ATOMIC_CMP_AND_SWP (5)"),
                told -> assertThat(told).startsWith("postSend 0 -22 send_flags has INLINE and the elements have 8"
                        + " bytes, the queue pair holds 0 (max_inline_data)"),
                told -> assertThat(told).startsWith("postSend 0 -22 send_flags has INLINE, and an RDMA_READ brings"),
                told -> assertThat(told).startsWith("postRecv 0 -22 num_sge is 2, the queue was created for 0 .. 1"),
                told -> assertThat(told).isEqualTo("postRecv 0 -22 "));
    }

    /** A full queue is no mistake, and where not each use is checked nothing is told at all. */
    @Test
    void aFullQueueIsNotTold() {
        final VirtualQueue queue = queue(SENDS);
        final long wrong = SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND).numSge(3).address();
        assertThat(((VirtualSendQueue) queue).post(wrong)).isEqualTo(-Errno.EINVAL);
        queue.accepting(true, true);
        for (int id = 0; id < CAPACITY; id++) {
            assertThat(post(queue, id)).isEqualTo(1);
        }
        assertThat(post(queue, 99)).isEqualTo(-Errno.ENOMEM);
        assertThat(owner.refusedPosts).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void whatIsLeftIsFlushedOldestFirstAndWhatIsPostedLaterToo(final String kind) {
        final VirtualQueue queue = queue(kind);
        attachAndOpen(queue, hardware, 1);
        for (int id = 0; id < CAPACITY; id++) {
            assertThat(post(queue, 70 + id)).isEqualTo(1);
        }
        assertThat(post(queue, 99)).as("full").isEqualTo(-Errno.ENOMEM);
        queue.retireThrough(0);
        queue.detach();
        assertThat(post(queue, 74)).isEqualTo(1);
        for (int id = 1; id <= CAPACITY; id++) {
            assertThat(queue.isFinished()).isFalse();
            assertThat(queue.flushNext(wc.address(), QP_NUM)).isTrue();
            assertThat(wc.wrId()).isEqualTo(70 + id);
            assertThat(wc.statusName()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            assertThat(wc.qpNum()).isEqualTo(QP_NUM);
        }
        assertThat(queue.isFinished()).isTrue();
        assertThat(queue.flushNext(wc.address(), QP_NUM)).isFalse();
        assertThat(post(queue, 75)).isEqualTo(1);
        assertThat(queue.isFinished()).isFalse();
        assertThat(hardware.all()).as("nothing after the detach").hasSize(CAPACITY);
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void allIsBackOnceWhatHardwareHasIsCompletedOrFlushed(final String kind) {
        final VirtualQueue queue = queue(kind);
        hardware.room = 3;
        attachAndOpen(queue, hardware, 1);
        for (int id = 0; id < CAPACITY; id++) {
            post(queue, id);
        }
        assertThat(queue.postedAtGlance()).isEqualTo(3);
        assertThat(queue.isBack(2)).isFalse();
        assertThat(queue.isBack(3)).as("hardware never had the last").isTrue();
        queue.retireThrough(2);
        assertThat(queue.isBack(0)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void afterAResetCursorsMeetAndGoOnFromThere(final String kind) {
        final VirtualQueue queue = queue(kind);
        hardware.room = 2;
        attachAndOpen(queue, hardware, 1);
        for (int id = 0; id < CAPACITY; id++) {
            post(queue, id);
        }
        assertThat(queue.hasBacklog()).isTrue();
        queue.detach();
        queue.reset();
        assertThat(queue.hasBacklog()).isFalse();
        assertThat(queue.retired()).isEqualTo(CAPACITY).isEqualTo(queue.producerInside());
        final FakeQueuePair next = new FakeQueuePair();
        attachAndOpen(queue, next, 2);
        assertThat(next.all()).isEmpty();
        assertThat(post(queue, 5)).isEqualTo(1);
        assertThat(next.sequences()).containsExactly(CAPACITY);
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    @Timeout(value = 600, threadMode = ThreadMode.SAME_THREAD) // which its memory is confined to
    void whatIsPostedAtTheTimeOfAResetIsForgottenOrWaits(final String kind) throws InterruptedException {
        final VirtualQueue queue = queue(kind);
        final Thread poster = new Thread(() -> {
            try (Arena own = Arena.ofConfined()) {
                final long send = SendWorkRequest.allocate(own, 1).opcode(WrOpcode.SEND).numSge(0).address();
                final long receive = RecvWorkRequest.allocate(own, 1).numSge(0).address();
                int taken = 0;
                while (taken < POSTS) {
                    taken += Math.max(0, queue instanceof VirtualSendQueue sends
                            ? sends.post(send)
                            : ((VirtualRecvQueue) queue).post(receive));
                }
            }
        });
        poster.setDaemon(true);
        poster.start();
        long ahead = 0;
        while (poster.isAlive() && !Thread.currentThread().isInterrupted()) {
            queue.reset();
            ahead = Math.max(ahead, queue.retired() - queue.postedAtGlance());
        }
        poster.join();
        assertThat(ahead).as("retired before it was posted").isZero();
    }

    /** Contracts that recovery keeps; nothing would say so at the place where they are broken. */
    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void aQueueInUseTakesNoOtherPhysicalQueuePairAndIsNotReset(final String kind) {
        final VirtualQueue queue = queue(kind);
        attachAndOpen(queue, hardware, 1);
        assertThatThrownBy(() -> attachAndOpen(queue, new FakeQueuePair(), 2)).isInstanceOf(AssertionError.class);
        final VirtualQueue other = queue(kind);
        attachAndOpen(other, hardware, 1);
        assertThatThrownBy(other::reset).isInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {SENDS, "receives"})
    void nobodyPumpsWhileAnotherIsInside(final String kind) {
        final VirtualQueue queue = queue(kind);
        hardware.room = 1;
        attachAndOpen(queue, hardware, 1);
        post(queue, 0);
        post(queue, 1);
        hardware.room = 10;
        queue.enter();
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).containsExactly(0);
        queue.leave();
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).containsExactly(0, 1);
    }
}
