package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AtomicCapability;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Marks behind requests, as hardware is given them. */
class MarkedSlotsTest {
    private static final int CAPACITY = 32;
    private static final int KEY = 5 << 12 | 1;
    private static final long WORD = 0x7000;

    private final Arena arena = Arena.ofConfined();
    private final NativeBlock block = new NativeBlock("bond0", 1, 1 << 20);
    private final FakeQueuePair hardware = new FakeQueuePair();
    private final LocalKeys localKeys = new LocalKeys(1);
    private final int vlkey = localKeys.allocate();

    private VirtualSendQueue queue(final LedgerMode mode, final boolean marksEnds) {
        return queue(mode, marksEnds, false);
    }

    private VirtualSendQueue queue(final LedgerMode mode, final boolean marksEnds, final boolean emulatesAtomics) {
        localKeys.bind(vlkey, 0, 100, 101);
        final MarkedSlots slots = new MarkedSlots(block, CAPACITY, 1, 0, mode, marksEnds);
        final VirtualSendQueue queue = new VirtualSendQueue(
                new FakeQueueOwner(), localKeys, slots, CAPACITY, 1, false,
                emulatesAtomics ? AtomicCapability.HCA : AtomicCapability.NONE, emulatesAtomics);
        queue.accepting(true, false);
        attach(queue);
        return queue;
    }

    private void attach(final VirtualSendQueue queue) {
        final RemoteKeys keys = new RemoteKeys(0);
        keys.put(KEY, 1000);
        queue.markInto(WORD, 2000, PhysicalWrId.prefix(PhysicalWrId.KIND_MARK, 1, 3));
        queue.attach(hardware, 0, PhysicalWrId.prefix(PhysicalWrId.KIND_SEND, 1, 3), keys);
    }

    /** Posts a chain and opens the gate behind it, so that it is given as one. */
    private void give(final VirtualSendQueue queue, final WrOpcode... opcodes) {
        for (final WrOpcode opcode : opcodes) {
            assertThat(queue.post(SendWorkRequest.allocate(arena, 1)
                            .opcode(opcode)
                            .sendFlags(SendFlags.SIGNALED)
                            .sge(0x1000, 16, vlkey)
                            .rdma(0x9000, KEY)
                            .address()))
                    .isEqualTo(1);
        }
        queue.openGate();
    }

    private List<Long> marks() {
        return hardware.all().stream()
                .filter(posted -> PhysicalWrId.kind(posted.wrId()) == PhysicalWrId.KIND_MARK)
                .peek(posted -> assertThat(posted.remoteAddr() == WORD && posted.rkey() == 2000).isTrue())
                .map(posted -> PhysicalWrId.sequence(posted.wrId(), 0))
                .toList();
    }

    @AfterEach
    void close() {
        block.close();
        arena.close();
    }

    @Test
    void eachWriteIsFollowedByAMark() {
        give(
                queue(LedgerMode.EACH, false),
                WrOpcode.RDMA_WRITE, WrOpcode.SEND, WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE);
        assertThat(hardware.posts).as("one chain").hasSize(1);
        assertThat(marks()).containsExactly(0L, 3L);
        assertThat(hardware.all()).hasSize(6);
    }

    /** What a peer without a bond is not asked for, the peer of the next life is. */
    @Test
    void afterALifeWithAPlainPeerAllIsAsItWas() {
        final VirtualSendQueue queue = queue(LedgerMode.EACH, false, true);
        queue.confirming(true);
        queue.plain(true);
        give(queue, WrOpcode.RDMA_WRITE);
        assertThat(marks()).isEmpty();
        assertThat(queue.isConfirming()).isFalse();
        queue.detach();
        queue.reset();
        queue.plain(false);
        attach(queue);
        hardware.posts.clear();
        give(queue, WrOpcode.RDMA_WRITE, WrOpcode.ATOMIC_FETCH_AND_ADD);
        assertThat(marks()).hasSize(1);
        assertThat(queue.isConfirming()).isTrue();
        assertThat(queue.hasAtomicWaiting()).isTrue();
    }

    @Test
    void inABatchEveryEighthIsFollowedByAMarkAndAMessageCountsAsOne() {
        final VirtualSendQueue queue = queue(LedgerMode.BATCH, false);
        final WrOpcode[] opcodes = LongStream.range(0, 20).mapToObj(i -> WrOpcode.RDMA_WRITE).toArray(WrOpcode[]::new);
        opcodes[3] = WrOpcode.SEND;
        give(queue, opcodes);
        assertThat(marks()).containsExactly(11L, 19L);
        assertThat(queue.slots().isMarked(11)).isTrue();
        assertThat(queue.slots().isMarked(12)).isFalse();
    }

    @Test
    void theEndOfAChainIsMarkedWhereCompletionsAreConfirmed() {
        give(queue(LedgerMode.BATCH, true), WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ);
        assertThat(marks()).containsExactly(1L);
    }

    /** As each answer for a remote key does. */
    @Test
    void aTargetThatIsToldOnceMoreBeginsNoOtherBatch() {
        final VirtualSendQueue queue = queue(LedgerMode.BATCH, false);
        for (int i = 0; i < 8; i++) {
            queue.markInto(WORD, 2000, PhysicalWrId.prefix(PhysicalWrId.KIND_MARK, 1, 3));
            give(queue, WrOpcode.RDMA_WRITE);
        }
        assertThat(marks()).containsExactly(7L);
    }

    @Test
    void noMoreThanABatchIsWithoutAMarkWhereverTheHardwareCutsAChain() {
        for (int room = 0; room < 28; room++) {
            hardware.posts.clear();
            hardware.room = room;
            final VirtualSendQueue queue = queue(LedgerMode.BATCH, false);
            give(queue, Collections.nCopies(24, WrOpcode.RDMA_WRITE).toArray(WrOpcode[]::new));
            hardware.room = 100;
            queue.pumpIfIdle();
            long last = -1;
            for (final long mark : marks()) {
                // a mark that did not go out anymore follows the next request
                assertThat(mark - last).as("room %d, behind %d", room, last).isBetween(1L, 9L);
                last = mark;
            }
            assertThat(24 - 1 - last).as("room %d", room).isLessThan(9);
        }
    }

    @Test
    void whatTheHardwareDidNotTakeIsNotMarkedAndIsGivenLater() {
        for (int room = 1; room <= 6; room++) {
            hardware.posts.clear();
            hardware.room = room;
            final VirtualSendQueue queue = queue(LedgerMode.EACH, false);
            give(queue, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE);
            for (int sequence = 0; sequence < 3; sequence++) {
                assertThat(queue.slots().isMarked(sequence)).as("room %d, %d", room, sequence)
                        .isEqualTo(2 * sequence + 1 < room);
            }
            hardware.room = 100;
            queue.pumpIfIdle();
            assertThat(hardware.all().stream()
                            .filter(posted -> PhysicalWrId.kind(posted.wrId()) == PhysicalWrId.KIND_SEND)
                            .map(posted -> PhysicalWrId.sequence(posted.wrId(), 0)))
                    .as("room %d", room)
                    .containsExactly(0L, 1L, 2L);
        }
    }
}
