package io.vhca.physical.soft.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.core.FakeCore;
import io.vhca.physical.soft.engine.core.UseCount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rings of requests and completions: what is posted comes out in order, a full one refuses. */
class WorkQueueTest {
    private static final int DEPTH = 3;

    private final Arena arena = Arena.ofConfined();
    private final FakeCore core = new FakeCore();

    @AfterEach
    void close() {
        arena.close();
    }

    private static int post(final WorkQueue queue, final long address) {
        queue.lock();
        try {
            return queue.postAll(address);
        } finally {
            queue.unlock();
        }
    }

    @Test
    void receivesComeOutInTheOrderPostedAcrossTheEndOfTheRing() {
        final ReceiveQueue queue = new ReceiveQueue(DEPTH, 2);
        final RecvWorkRequest wr = RecvWorkRequest.allocate(arena, 2);
        for (long i = 0; i < 20; i++) {
            assertThat(post(queue, wr.wrId(i).next(0).sge(1_000 + i, 7, 9).address())).isEqualTo(1);
            assertThat(queue.size()).isEqualTo(1);
            assertThat(RecvWqeDescriptor.wrId(queue.front())).isEqualTo(i);
            assertThat(RecvWqeDescriptor.length(queue.front())).isEqualTo(7);
            assertThat(RecvWqeDescriptor.numSge(queue.front())).isEqualTo(1);
            queue.pop();
        }
        assertThat(queue.isEmpty()).isTrue();
        assertThatThrownBy(queue::pop).isInstanceOf(AssertionError.class);
        queue.free();
    }

    @Test
    void aFullQueueTakesNoMoreAndAResetEmptiesIt() {
        final ReceiveQueue queue = new ReceiveQueue(DEPTH, 1);
        final RecvWorkRequest wr = RecvWorkRequest.allocate(arena, 1);
        wr.wrId(1).next(0).sge(1, 1, 1);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(post(queue, wr.address())).isEqualTo(1);
        }
        assertThat(post(queue, wr.address())).isEqualTo(-Errno.ENOMEM);
        queue.lock();
        queue.reset();
        queue.unlock();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(post(queue, wr.address())).isEqualTo(1);
        assertThatThrownBy(() -> queue.postAll(wr.address())).as("without the lock").isInstanceOf(AssertionError.class);
        queue.free();
    }

    @Test
    void aSendQueueRefusesWhatItsQueuePairCannot() {
        final QpCapabilities cap = new QpCapabilities(DEPTH, DEPTH, 1, 1, 8);
        final SendQueue connected = new SendQueue(cap, false, false);
        final SendQueue datagrams = new SendQueue(cap, true, true);
        final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
        final MemorySegment data = arena.allocate(16, 8);
        data.fill((byte) 5);

        wr.wrId(7).next(0).opcode(WrOpcode.RDMA_WRITE).sendFlags(0).sge(data.address(), 16, 1);
        assertThat(post(datagrams, wr.address())).isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(post(connected, wr.address())).isEqualTo(1);
        assertThat(connected.isSignaled(connected.address(0))).isFalse();
        assertThat(SendWqeDescriptor.length(connected.address(0))).isEqualTo(16);

        wr.opcode(WrOpcode.SEND).sendFlags(SendFlags.INLINE);
        assertThat(post(datagrams, wr.address())).as("more inline data than it takes").isEqualTo(-Errno.EINVAL);
        wr.sge(data.address(), 8, 1);
        assertThat(post(datagrams, wr.address())).isEqualTo(1);
        data.fill((byte) 0);
        assertThat(datagrams.isSignaled(datagrams.address(0))).as("all are").isTrue();
        assertThat(NativeMemory.getLong(SendWqeDescriptor.data(datagrams.address(0))))
                .as("inline data is copied")
                .isEqualTo(0x0505_0505_0505_0505L);
        connected.free();
        datagrams.free();
    }

    @Test
    void anOverrunOfACqIsFinal() {
        final UseCount open = new UseCount(core);
        final SoftCq cq = new SoftCq(core, open, null, 2, null, null);
        final WorkCompletion wc = WorkCompletion.allocate(arena, 4);
        cq.reqNotify(false);
        assertThat(cq.push(1, 0, 0, 0, 0, 5, 0, 0, false)).isTrue();
        assertThat(cq.push(2, 0, 0, 0, 0, 6, 0, 0, false)).isTrue();
        assertThat(core.notified).as("armed once").isEqualTo(1);
        cq.purge(5);
        assertThat(cq.poll(wc)).isEqualTo(1);
        assertThat(wc.at(0).wrId()).isEqualTo(2);

        for (int i = 0; i < 2; i++) {
            assertThat(cq.push(i, 0, 0, 0, 0, 5, 0, 0, false)).isTrue();
        }
        assertThat(cq.push(9, 0, 0, 0, 0, 5, 0, 0, false)).isFalse();
        assertThat(cq.push(9, 0, 0, 0, 0, 5, 0, 0, false)).isFalse();
        assertThat(core.events).containsExactly(AsyncEventType.CQ_ERR);
        assertThat(cq.poll(wc)).isEqualTo(-Errno.EIO);
        assertThat(open.get()).isEqualTo(1);
        cq.close();
        assertThat(open.get()).isZero();
    }
}
