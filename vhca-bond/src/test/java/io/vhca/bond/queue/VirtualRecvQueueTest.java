package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.RecvWorkRequest;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VirtualRecvQueueTest {
    private static final int CAPACITY = 6;

    private final Arena arena = Arena.ofConfined();
    private final NativeBlock block = new NativeBlock("bond0", 1, 1 << 20);
    private final FakeQueueOwner owner = new FakeQueueOwner();
    private final FakeQueuePair hardware = new FakeQueuePair();
    private final LocalKeys localKeys = new LocalKeys(2);
    private final int vlkey = localKeys.allocate();
    private VirtualRecvQueue queue = queue();

    private VirtualRecvQueue queue() {
        final VirtualRecvQueue made = new VirtualRecvQueue(owner, localKeys, block, CAPACITY, 2);
        made.accepting(true, false);
        return made;
    }

    @BeforeEach
    void keys() {
        localKeys.bind(vlkey, 0, 100, 101);
        localKeys.bind(vlkey, 1, 200, 201);
    }

    @AfterEach
    void close() {
        block.close();
        arena.close();
    }

    private static long prefix(final int incarnation) {
        return PhysicalWrId.prefix(PhysicalWrId.KIND_RECV, incarnation, 3);
    }

    private RecvWorkRequest recv(final long wrId) {
        return RecvWorkRequest.allocate(arena, 2).wrId(wrId).sge(0x1000 + wrId, 16, vlkey);
    }

    private RecvWorkRequest chain(final int from, final int end) {
        RecvWorkRequest next = recv(end - 1);
        for (int id = end - 2; id >= from; id--) {
            next = recv(id).next(next.address());
        }
        return next;
    }

    private static List<Integer> range(final int from, final int end) {
        return IntStream.range(from, end).boxed().toList();
    }

    @Test
    void receivesPostedBeforeThereIsAPhysicalQpGoToTheFirst() {
        assertThat(queue.post(chain(0, 4).address())).isEqualTo(4);
        queue.attachAndOpen(hardware, 1, prefix(1));
        assertThat(hardware.posts).hasSize(1);
        assertThat(hardware.sequences()).isEqualTo(range(0, 4));
        assertThat(hardware.all()).allSatisfy(posted -> assertThat(posted.lkeys()).containsExactly(200));
        assertThat(queue.received()).isZero();
    }

    @Test
    void theRingWrapsAndIsFullAtItsCapacity() {
        queue.attachAndOpen(hardware, 0, prefix(1));
        final RecvWorkRequest first = chain(0, CAPACITY + 2);
        assertThat(queue.post(first.address())).isEqualTo(CAPACITY);
        assertThat(queue.post(recv(9).address())).isEqualTo(-Errno.ENOMEM);
        for (int id = CAPACITY; id < 10 * CAPACITY; id++) {
            final int done = id - CAPACITY;
            assertThat(queue.sequenceOf(hardware.all().get(done).wrId())).isEqualTo(done);
            assertThat(queue.wrId(done)).isEqualTo(done);
            queue.retireThrough(done);
            assertThat(queue.received()).isEqualTo(done + 1L);
            assertThat(queue.post(recv(id).address())).isEqualTo(1);
        }
        assertThat(hardware.sequences()).isEqualTo(range(0, 10 * CAPACITY));
    }

    @Test
    void aBadRequestStopsItsChainAndTellsWhyWhenPostedAgain() {
        queue.attachAndOpen(hardware, 0, prefix(1));
        final RecvWorkRequest bad = recv(1).numSge(3);
        assertThat(queue.post(recv(0).next(bad.address()).address())).isEqualTo(1);
        assertThat(queue.post(bad.address())).isEqualTo(-Errno.EINVAL);
        assertThat(queue.post(bad.numSge(-1).address())).isEqualTo(-Errno.EINVAL);
        queue.accepting(false, false);
        assertThat(queue.post(recv(1).address())).isEqualTo(-Errno.EINVAL);
        assertThat(hardware.sequences()).containsExactly(0);
    }

    @Test
    void anotherPhysicalQpGetsEveryReceiveThatIsNotConsumedWhateverWas() {
        for (int consumed = 0; consumed <= CAPACITY; consumed++) {
            queue = queue();
            queue.attachAndOpen(new FakeQueuePair(), 0, prefix(1));
            queue.post(chain(0, CAPACITY - 1).address());
            queue.closeGate();
            queue.post(recv(CAPACITY - 1).address());
            queue.retireThrough(consumed - 1L);
            queue.detach();
            final FakeQueuePair next = new FakeQueuePair();
            queue.attachAndOpen(next, 1, prefix(2));
            assertThat(next.sequences()).isEqualTo(range(consumed, CAPACITY));
            assertThat(next.all()).allSatisfy(posted -> {
                assertThat(posted.lkeys()).containsExactly(200);
                assertThat(PhysicalWrId.incarnation(posted.wrId())).isEqualTo(2);
            });
        }
    }

    @Test
    void whatAFullHardwareQueueDidNotTakeFollowsWhenItHasRoom() {
        hardware.room = 2;
        queue.attachAndOpen(hardware, 0, prefix(1));
        assertThat(queue.post(chain(0, 5).address())).isEqualTo(5);
        assertThat(queue.hasBacklog()).isTrue();
        queue.pumpIfIdle();
        assertThat(owner.refusals).isEmpty();
        hardware.room = 10;
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).isEqualTo(range(0, 5));
        assertThat(queue.hasBacklog()).isFalse();
    }

    @Test
    void aRefusalOfAnotherKindClosesTheGateAndKeepsTheReceives() {
        hardware.room = 0;
        hardware.refusal = -Errno.EIO;
        queue.attachAndOpen(hardware, 0, prefix(1));
        assertThat(queue.post(chain(0, 3).address())).isEqualTo(3);
        assertThat(queue.post(recv(3).address())).isEqualTo(1);
        assertThat(owner.refusals).containsExactly(-Errno.EIO);
        final FakeQueuePair next = new FakeQueuePair();
        queue.attachAndOpen(next, 1, prefix(2));
        assertThat(next.sequences()).isEqualTo(range(0, 4));
    }

    @Test
    void afterAResetNothingIsLeftAndReceivedCountsFromZero() {
        queue.attachAndOpen(new FakeQueuePair(), 0, prefix(1));
        queue.post(chain(0, 5).address());
        queue.retireThrough(1);
        assertThat(queue.received()).isEqualTo(2);
        queue.detach();
        queue.reset();
        assertThat(queue.received()).as("neither those received nor those flushed").isZero();
        queue.post(recv(5).address());
        queue.attachAndOpen(hardware, 0, prefix(2));
        assertThat(hardware.sequences()).containsExactly(5);
        queue.retireThrough(5);
        assertThat(queue.received()).isEqualTo(1);
    }
}
