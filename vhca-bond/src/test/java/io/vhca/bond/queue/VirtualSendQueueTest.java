package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.queue.FakeQueuePair.Posted;
import io.vhca.bond.trace.TraceSink;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualSendQueueTest {
    private static final int CAPACITY = 8;
    private static final int REMOTE_KEY = 5 << 8 | 1;
    /** The mixed window of the rewind tests, by sequence. */
    private static final List<WrOpcode> WINDOW = List.of(
            WrOpcode.SEND,
            WrOpcode.RDMA_READ,
            WrOpcode.RDMA_WRITE,
            WrOpcode.SEND_WITH_IMM,
            WrOpcode.RDMA_READ,
            WrOpcode.RDMA_WRITE_WITH_IMM,
            WrOpcode.SEND,
            WrOpcode.RDMA_WRITE);

    private final Arena arena = Arena.ofConfined();
    private final NativeBlock block = new NativeBlock("bond0", 1, 1 << 20);
    private final FakeQueueOwner owner = new FakeQueueOwner();
    private final FakeQueuePair hardware = new FakeQueuePair();
    private final LocalKeys localKeys = new LocalKeys(2);
    private final RemoteKeys remoteKeys = new RemoteKeys(0);
    private final RemoteKeys keysOfTheOther = new RemoteKeys(0);
    private final int vlkey = localKeys.allocate();
    private VirtualSendQueue queue = queue(CAPACITY, 0, false);

    private VirtualSendQueue queue(final int capacity, final int maxInline, final boolean sigAll) {
        final VirtualSendQueue made = new VirtualSendQueue(
                owner, localKeys, new ConnectedSlots(block, capacity, 2, maxInline), capacity, 2, sigAll,
                AtomicCapability.NONE, false);
        made.accepting(true, false);
        return made;
    }

    @BeforeEach
    void keys() {
        localKeys.bind(vlkey, 0, 100, 101);
        localKeys.bind(vlkey, 1, 200, 201);
        remoteKeys.put(REMOTE_KEY, 1000);
        keysOfTheOther.put(REMOTE_KEY, 2000);
    }

    @AfterEach
    void close() {
        block.close();
        arena.close();
    }

    private static long prefix(final int incarnation) {
        return PhysicalWrId.prefix(PhysicalWrId.KIND_SEND, incarnation, 3);
    }

    private void attachAndOpen(final FakeQueuePair qp, final int member, final int incarnation) {
        queue.attach(qp, member, prefix(incarnation), member == 0 ? remoteKeys : keysOfTheOther);
        queue.openGate();
    }

    private SendWorkRequest wr(final WrOpcode opcode, final long wrId, final int flags) {
        return SendWorkRequest.allocate(arena, 2)
                .wrId(wrId)
                .opcode(opcode)
                .sendFlags(flags)
                .sge(0x1000 + wrId, 16, vlkey)
                .rdma(0x9000 + wrId, REMOTE_KEY);
    }

    private SendWorkRequest send(final long wrId) {
        return wr(WrOpcode.SEND, wrId, SendFlags.SIGNALED);
    }

    /** A chain of sends with these ids; the first of them. */
    private SendWorkRequest chain(final int from, final int end) {
        SendWorkRequest next = send(end - 1);
        for (int id = end - 2; id >= from; id--) {
            next = send(id).next(next.address());
        }
        return next;
    }

    private static List<Integer> range(final int from, final int end) {
        return IntStream.range(from, end).boxed().toList();
    }

    // ---- posting ------------------------------------------------------------------------------------------------

    @Test
    void theRingWrapsForEveryWindow() {
        for (int window = 1; window <= CAPACITY; window++) {
            queue = queue(CAPACITY, 0, false);
            final FakeQueuePair qp = new FakeQueuePair();
            attachAndOpen(qp, 0, window);
            for (int id = 0; id < 5 * CAPACITY; id++) {
                if (id >= window) {
                    final int done = id - window;
                    assertThat(queue.sequenceOf(qp.all().get(done).wrId())).isEqualTo(done);
                    assertThat(queue.slots().wrId(done)).isEqualTo(7L * done);
                    queue.retireThrough(done);
                }
                assertThat(queue.post(send(7L * id).address())).isEqualTo(1);
            }
            assertThat(qp.sequences()).isEqualTo(range(0, 5 * CAPACITY));
            assertThat(qp.all()).allSatisfy(posted -> assertThat(posted.lkeys()).containsExactly(100));
            assertThat(PhysicalWrId.incarnation(qp.all().get(0).wrId())).isEqualTo(window);
        }
    }

    @Test
    void aChainLongerThanTheRingIsTakenAsFarAsItFits() {
        attachAndOpen(hardware, 0, 1);
        final SendWorkRequest first = chain(0, CAPACITY + 3);
        assertThat(queue.post(first.address())).isEqualTo(CAPACITY);
        assertThat(hardware.posts).as("one call of the device").hasSize(1);
        assertThat(hardware.sequences()).isEqualTo(range(0, CAPACITY));

        SendWorkRequest bad = first;
        for (int i = 0; i < CAPACITY; i++) {
            bad = new SendWorkRequest().wrap(bad.next());
        }
        assertThat(queue.post(bad.address())).as("full").isEqualTo(-Errno.ENOMEM);
        queue.retireThrough(1);
        assertThat(queue.post(bad.address())).isEqualTo(2);
        queue.retireThrough(2);
        assertThat(queue.post(new SendWorkRequest().wrap(new SendWorkRequest().wrap(bad.next()).next()).address()))
                .isEqualTo(1);
        assertThat(hardware.sequences()).isEqualTo(range(0, CAPACITY + 3));
        assertThat(queue.slots().wrId(CAPACITY + 2)).isEqualTo(CAPACITY + 2);
    }

    @Test
    void aBadRequestStopsItsChainAndTellsWhyWhenPostedAgain() {
        attachAndOpen(hardware, 0, 1);
        final SendWorkRequest tooMany = send(2).numSge(3).next(send(3).address());
        final SendWorkRequest first = send(0).next(send(1).next(tooMany.address()).address());
        assertThat(queue.post(first.address())).isEqualTo(2);
        assertThat(queue.post(tooMany.address())).isEqualTo(-Errno.EINVAL);
        assertThat(queue.post(send(2).numSge(-1).address())).isEqualTo(-Errno.EINVAL);
        for (final WrOpcode opcode : WrOpcode.values()) {
            if (!WINDOW.contains(opcode) && opcode != WrOpcode.UNKNOWN) {
                assertThat(queue.post(wr(opcode, 9, 0).address())).as("%s", opcode).isEqualTo(-Errno.EOPNOTSUPP);
            }
        }
        queue.accepting(false, false);
        assertThat(queue.post(send(2).address())).isEqualTo(-Errno.EINVAL);
        assertThat(hardware.sequences()).containsExactly(0, 1);
        assertThat(queue.producerInside()).isEqualTo(2);
    }

    @Test
    void inlineDataIsCopiedAtThePostAndBounded() {
        queue = queue(CAPACITY, 8, false);
        final long data = arena.allocate(16).address();
        final SendWorkRequest inline = SendWorkRequest.allocate(arena, 2).opcode(WrOpcode.SEND);
        inline.sendFlags(SendFlags.INLINE).numSge(2).sge(0, data, 4, 77).sge(1, data + 4, 5, 78);
        assertThat(queue.post(inline.address())).as("nine bytes").isEqualTo(-Errno.EINVAL);
        inline.sge(1, data + 4, -1, 78);
        assertThat(queue.post(inline.address())).as("a negative length").isEqualTo(-Errno.EINVAL);
        inline.sge(1, data + 4, 4, 78);
        assertThat(queue.post(inline.address())).isEqualTo(1);
        inline.opcode(WrOpcode.RDMA_READ);
        assertThat(queue.post(inline.address())).as("it brings bytes into memory").isEqualTo(-Errno.EINVAL);
        attachAndOpen(hardware, 0, 1);
        assertThat(hardware.all()).hasSize(1);
        assertThat(hardware.all().getFirst().lkeys()).as("one element of the slot's own").hasSize(1);
        assertThat(hardware.all().getFirst().flags() & SendFlags.INLINE).isNotZero();
    }

    @Test
    void anUnsignaledRunIsSignaledToHardwareOnceAQuarterAndNeverToTheApplication() {
        attachAndOpen(hardware, 0, 1);
        for (int id = 0; id < 4 * CAPACITY; id++) {
            assertThat(queue.post(wr(WrOpcode.SEND, id, 0).address())).isEqualTo(1);
            assertThat(queue.slots().isSignaled(id)).isFalse();
            if ((hardware.all().getLast().flags() & SendFlags.SIGNALED) != 0) {
                queue.retireThrough(id);
            }
        }
        assertThat(hardware.all().stream().filter(posted -> (posted.flags() & SendFlags.SIGNALED) != 0))
                .hasSize(4 * CAPACITY / (CAPACITY / 4));
        assertThat(queue.slots().isSignaled(queue.producerInside() - 1)).isFalse();

        queue = queue(CAPACITY, 0, true);
        queue.post(wr(WrOpcode.SEND, 1, 0).address());
        assertThat(queue.slots().isSignaled(0)).as("a queue that signals all").isTrue();
    }

    // ---- hardware that cannot take it ---------------------------------------------------------------------------

    @Test
    void postsWithoutAPhysicalQpOrBehindAClosedGateGoOutTogetherWhenItOpens() {
        assertThat(queue.post(send(0).address())).isEqualTo(1);
        attachAndOpen(hardware, 0, 1);
        assertThat(hardware.sequences()).containsExactly(0);
        queue.closeGate();
        assertThat(queue.post(chain(1, CAPACITY).address())).isEqualTo(CAPACITY - 1);
        assertThat(queue.post(send(99).address())).as("full while closed").isEqualTo(-Errno.ENOMEM);
        assertThat(hardware.sequences()).containsExactly(0);
        assertThat(owner.keptBack).as("told of each post that stays here, and of none refused").isEqualTo(2);
        queue.openGate();
        assertThat(hardware.posts).hasSize(2);
        assertThat(hardware.sequences()).isEqualTo(range(0, CAPACITY));
    }

    @Test
    void whatAFullHardwareQueueDidNotTakeFollowsWhenItHasRoom() {
        hardware.room = 2;
        attachAndOpen(hardware, 0, 1);
        assertThat(queue.post(chain(0, 5).address())).as("the application is not told").isEqualTo(5);
        assertThat(queue.hasBacklog()).isTrue();
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).containsExactly(0, 1);
        assertThat(owner.refusals).as("a full queue is no failure").isEmpty();
        hardware.room = 10;
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).isEqualTo(range(0, 5));
        assertThat(queue.hasBacklog()).isFalse();
    }

    @Test
    void aRefusalOfAnotherKindClosesTheGateAndKeepsTheRequests() {
        hardware.room = 0;
        hardware.refusal = -Errno.EIO;
        attachAndOpen(hardware, 0, 1);
        assertThat(queue.post(chain(0, 3).address())).isEqualTo(3);
        assertThat(queue.post(send(3).address())).isEqualTo(1);
        assertThat(owner.refusals).containsExactly(-Errno.EIO);
        final FakeQueuePair next = new FakeQueuePair();
        attachAndOpen(next, 1, 2);
        assertThat(next.sequences()).isEqualTo(range(0, 4));
    }

    @Test
    void requestsWaitInOrderForARemoteKeyThatIsAskedForOnce() {
        final int unknown = 6 << 8 | 1;
        attachAndOpen(hardware, 1, 1);
        queue.post(send(0).address());
        queue.post(wr(WrOpcode.RDMA_WRITE, 1, 0).rdma(1, unknown).address());
        queue.post(send(2).address());
        queue.post(wr(WrOpcode.RDMA_READ, 3, 0).rdma(1, unknown).address());
        assertThat(hardware.sequences()).containsExactly(0);
        assertThat(owner.missingKeys).containsExactly(unknown);
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).as("not before the answer").containsExactly(0);
        keysOfTheOther.put(unknown, LocalKeys.INVALID);
        queue.onKeyResolved();
        assertThat(hardware.sequences()).containsExactly(0, 1, 2, 3);
        assertThat(hardware.all().get(1).rkey())
                .as("the peer has no such region on that member: its device will say so")
                .isEqualTo(LocalKeys.INVALID);
        assertThat(queue.hasBacklog()).isFalse();
    }

    @Test
    void aKeyThatNobodyCanHaveIsLeftToTheDevice() {
        attachAndOpen(hardware, 0, 1);
        queue.post(wr(WrOpcode.RDMA_WRITE, 0, 0).rdma(1, 0).address());
        queue.post(wr(WrOpcode.RDMA_READ, 1, 0).rdma(1, -1).address());
        assertThat(hardware.all()).extracting(FakeQueuePair.Posted::rkey).containsOnly(LocalKeys.INVALID);
        assertThat(hardware.sequences()).containsExactly(0, 1);
        assertThat(owner.missingKeys).isEmpty();
    }

    /** Its mark would go to an address that nobody has told. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1, REMOTE_KEY})
    void whileNoKeyIsKnownARequestThatNamesMemoryWaitsWhateverItsKey(final int key) {
        queue.attach(hardware, 0, prefix(1), null);
        queue.openGate();
        queue.post(send(0).address());
        queue.post(wr(WrOpcode.RDMA_WRITE, 1, 0).rdma(1, key).address());
        assertThat(hardware.sequences()).containsExactly(0);
        assertThat(owner.missingKeys).containsExactly(key);
        queue.keys(remoteKeys);
        queue.onKeyResolved();
        assertThat(hardware.sequences()).containsExactly(0, 1);
    }

    // ---- what is posted while nothing waits ---------------------------------------------------------------------

    /** The first post finds out that nothing is in the way of those behind it. */
    private void attachOpenAndPost(final FakeQueuePair qp) {
        attachAndOpen(qp, 0, 1);
        queue.post(send(0).address());
    }

    @Test
    void whatGoesStraightToTheHardwareIsTranslatedAsAllElse() {
        attachOpenAndPost(hardware);
        for (int id = 1; id < CAPACITY; id++) {
            assertThat(queue.post(wr(WINDOW.get(id), id, SendFlags.FENCE).immData(id).address())).isEqualTo(1);
        }
        for (int id = 1; id < CAPACITY; id++) {
            final Posted posted = hardware.all().get(id);
            assertThat(posted.wrId()).isEqualTo(PhysicalWrId.of(prefix(1), id));
            assertThat(posted.opcode()).isEqualTo(WINDOW.get(id));
            assertThat(posted.flags() & SendFlags.FENCE).isNotZero();
            assertThat(posted.imm()).isEqualTo(id);
            assertThat(posted.lkeys()).containsExactly(100);
            assertThat(queue.slots().wrId(id)).isEqualTo(id);
            assertThat(queue.slots().opcode(id)).isEqualTo(WINDOW.get(id).code());
            if (id != 3 && id != 6) {
                assertThat(posted.remoteAddr()).isEqualTo(0x9000 + id);
                assertThat(posted.rkey()).isEqualTo(1000);
            }
        }
        assertThat(log().completedMessages()).isZero();
        queue.retireThrough(CAPACITY - 1);
        assertThat(log().completedMessages()).as("0, 3, 5 and 6").isEqualTo(4);
        assertThat(hardware.posts).hasSize(CAPACITY);
    }

    @Test
    void aKeyIsTranslatedAsItIsNow() {
        attachOpenAndPost(hardware);
        queue.post(send(1).address());
        localKeys.bind(vlkey, 0, 150, 151);
        queue.post(send(2).address());
        final int other = localKeys.allocate();
        localKeys.bind(other, 0, 170, 171);
        queue.post(send(3).sge(0x1000, 16, other).address());
        queue.post(send(4).address());
        localKeys.release(vlkey);
        queue.post(send(5).address());
        assertThat(hardware.all()).extracting(posted -> posted.lkeys().getFirst())
                .containsExactly(100, 100, 150, 170, 150, LocalKeys.INVALID);
        queue.closeGate();
        attachAndOpen(new FakeQueuePair(), 1, 2);
        queue.retireThrough(5);
        final FakeQueuePair next = new FakeQueuePair();
        queue.closeGate();
        attachAndOpen(next, 1, 3);
        queue.post(send(6).sge(0x1000, 16, other).address());
        localKeys.bind(other, 1, 270, 271);
        queue.post(send(7).sge(0x1000, 16, other).address());
        assertThat(next.all()).extracting(posted -> posted.lkeys().getFirst())
                .as("of the member in use").containsExactly(LocalKeys.INVALID, 270);
    }

    @Test
    void whatTheHardwareHasNoRoomForWaitsAndGoesBeforeWhatComesLater() {
        attachOpenAndPost(hardware);
        hardware.room = 2;
        assertThat(queue.post(chain(1, 5).address())).isEqualTo(4);
        assertThat(hardware.sequences()).isEqualTo(range(0, 3));
        assertThat(queue.hasBacklog()).isTrue();
        assertThat(queue.post(send(5).address())).isEqualTo(1);
        assertThat(hardware.sequences()).isEqualTo(range(0, 3));
        hardware.room = Integer.MAX_VALUE;
        queue.pumpIfIdle();
        assertThat(hardware.sequences()).isEqualTo(range(0, 6));
        assertThat(queue.hasBacklog()).isFalse();
        hardware.room = 0;
        queue.post(send(6).address());
        assertThat(queue.hasBacklog()).isTrue();
        hardware.room = Integer.MAX_VALUE;
        assertThat(queue.post(send(7).address())).isEqualTo(1);
        assertThat(hardware.sequences()).isEqualTo(range(0, 8));
        assertThat(hardware.all()).allSatisfy(posted -> assertThat(posted.lkeys()).containsExactly(100));
    }

    @Test
    void aChainGoesOnWithWhatCannotGoStraight() {
        queue = queue(CAPACITY, 8, false);
        attachOpenAndPost(hardware);
        final int unknown = 6 << 8 | 1;
        final SendWorkRequest inline = wr(WrOpcode.SEND, 2, SendFlags.INLINE).sge(arena.allocate(8).address(), 8, 0);
        final SendWorkRequest waits = wr(WrOpcode.RDMA_WRITE, 4, 0).rdma(1, unknown);
        send(1);
        final SendWorkRequest first = send(1).next(inline.address());
        inline.next(send(3).next(waits.next(send(5).address()).address()).address());
        assertThat(queue.post(first.address())).isEqualTo(5);
        assertThat(hardware.sequences()).isEqualTo(range(0, 4));
        assertThat(owner.missingKeys).containsExactly(unknown);
        remoteKeys.put(unknown, 3000);
        queue.onKeyResolved();
        assertThat(hardware.sequences()).isEqualTo(range(0, 6));
        assertThat(hardware.all().get(4).rkey()).isEqualTo(3000);
        final SendWorkRequest bad = send(7).numSge(3);
        assertThat(queue.post(send(6).next(bad.address()).address())).isEqualTo(1);
        assertThat(queue.post(bad.address())).isEqualTo(-Errno.EINVAL);
        assertThat(hardware.sequences()).isEqualTo(range(0, 7));
    }

    @Test
    void nothingGoesStraightOnceTheGateIsClosedHeldOrPostsAreNotTaken() {
        attachOpenAndPost(hardware);
        queue.hold(-1);
        queue.post(send(1).address());
        assertThat(hardware.sequences()).isEqualTo(range(0, 1));
        queue.release();
        queue.post(send(2).address());
        queue.post(send(3).address());
        queue.accepting(false, false);
        assertThat(queue.post(send(4).address())).isEqualTo(-Errno.EINVAL);
        queue.accepting(true, false);
        queue.post(send(4).address());
        queue.closeGate();
        queue.post(send(5).address());
        assertThat(hardware.sequences()).isEqualTo(range(0, 5));
        final List<Long> told = new ArrayList<>();
        attachAndOpen(hardware, 0, 2);
        queue.traceTo(new TraceSink() {
            @Override
            public void record(
                    final int event, final long object, final long a, final long b, final long c, final long d) {
                told.add(b);
            }

            @Override
            public void idle() {}
        });
        queue.post(send(6).address());
        assertThat(told).containsExactly(6L);
    }

    // ---- recovery -----------------------------------------------------------------------------------------------

    /** The window posted over member 0, with the gate closed after it. */
    private void postWindow() {
        queue = queue(CAPACITY, 0, false);
        attachAndOpen(new FakeQueuePair(), 0, 1);
        for (int id = 0; id < WINDOW.size(); id++) {
            assertThat(queue.post(wr(WINDOW.get(id), id, 0).immData(id).address())).isEqualTo(1);
        }
        queue.closeGate();
    }

    @Test
    void everyRewindPostsTheRestAgainWithTheOtherMembersKeys() {
        for (int resume = 0; resume <= WINDOW.size(); resume++) {
            for (int committed = resume; committed <= WINDOW.size(); committed++) {
                postWindow();
                final FakeQueuePair other = new FakeQueuePair();
                if (resume > 0) {
                    queue.retireThrough(resume - 1);
                }
                queue.rewindTo(resume, committed, 0);
                assertThat(log().postedSeq()).as("what hardware ever had").isEqualTo(WINDOW.size());
                attachAndOpen(other, 1, 2);
                assertThat(other.sequences()).isEqualTo(range(resume, WINDOW.size()));
                for (final Posted posted : other.all()) {
                    checkReplayed(posted, committed);
                }
            }
        }
    }

    private void checkReplayed(final Posted posted, final int committed) {
        final int sequence = posted.sequence();
        final WrOpcode opcode = WINDOW.get(sequence);
        assertThat(PhysicalWrId.incarnation(posted.wrId())).isEqualTo(2);
        assertThat(queue.slots().opcode(sequence)).isEqualTo(opcode.code());
        if (sequence < committed && opcode != WrOpcode.RDMA_READ) {
            assertThat(posted.opcode()).as("a placeholder").isEqualTo(WrOpcode.RDMA_WRITE);
            assertThat(posted.lkeys()).isEmpty();
            assertThat(queue.mayBePlaceholder(sequence)).isTrue();
        } else {
            assertThat(posted.opcode()).isEqualTo(opcode);
            assertThat(posted.lkeys()).containsExactly(200);
            assertThat(posted.imm()).isEqualTo(sequence);
            if (opcode != WrOpcode.SEND && opcode != WrOpcode.SEND_WITH_IMM) {
                assertThat(posted.rkey()).isEqualTo(2000);
                assertThat(posted.remoteAddr()).isEqualTo(0x9000 + sequence);
            }
        }
    }

    @Test
    void aSecondRewindBeforeTheFirstReplayWasCompletedAgreesWithIt() {
        postWindow();
        queue.rewindTo(1, 4, 0);
        queue.attach(new FakeQueuePair(), 1, prefix(2), keysOfTheOther);
        queue.openGate();
        queue.closeGate();
        final RewindPlan plan = judge(2);
        assertThat(plan.error()).isNull();
        assertThat(plan.resumeAt()).isEqualTo(1);
        assertThat(plan.committedUpTo()).as("two messages: sequences 0 and 3").isEqualTo(4);
        final FakeQueuePair third = new FakeQueuePair();
        queue.rewindTo(plan.resumeAt(), plan.committedUpTo(), 0);
        attachAndOpen(third, 0, 3);
        assertThat(third.all()).extracting(Posted::opcode).containsExactly(
                WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ,
                WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.SEND, WrOpcode.RDMA_WRITE);
    }

    @Test
    void heldBackSuccessesCountWithoutRetiringAnything() {
        postWindow();
        queue.holdBackThrough(3);
        queue.holdBackThrough(2);
        assertThat(queue.hwCompletedSeq()).isEqualTo(4);
        assertThat(queue.retired()).isZero();
        assertThat(judge(2).completeUpTo()).isEqualTo(4);
        assertThat(judge(1).completeUpTo())
                .as("but for the READ whose data is here the peer decides").isEqualTo(2);
    }

    @Test
    void completedMessagesAreThoseBeforeTheConsumer() {
        postWindow();
        final int[] expected = {0, 1, 1, 1, 2, 2, 3, 4, 4};
        for (int consumer = 0; consumer <= WINDOW.size(); consumer++) {
            queue.retireThrough(consumer - 1L);
            assertThat(log().completedMessages())
                    .as("consumer %d", consumer).isEqualTo(expected[consumer]);
        }
    }

    /** What the rewind would be planned by. */
    private SendLog log() {
        final List<SendLog> seen = new ArrayList<>();
        queue.judge((log, peer, writes) -> {
            seen.add(log);
            return RewindPlan.of(log, peer, writes);
        }, new ReceiverCounts(0, 0), WriteReplay.REPLAY);
        return seen.getFirst();
    }

    private RewindPlan judge(final long received) {
        return queue.judge(RewindPlan::of, new ReceiverCounts(received, 0), WriteReplay.REPLAY);
    }

    @Test
    void nobodyPostsWhileTheLogIsJudged() {
        postWindow();
        final List<Boolean> entered = new ArrayList<>();
        queue.judge((log, peer, writes) -> {
            entered.add(queue.tryEnter());
            return RewindPlan.of(log, peer, writes);
        }, new ReceiverCounts(0, 0), WriteReplay.REPLAY);
        assertThat(entered).containsExactly(false);
        assertThat(queue.tryEnter()).as("left again").isTrue();
        queue.leave();
    }

    /** As they do while a dump looks at a queue in use. */
    @Test
    void theLogStaysAsItWasThoughRequestsComplete() {
        postWindow();
        queue.judge((log, peer, writes) -> {
            queue.retireThrough(2);
            assertThat(log.consumerSeq()).isZero();
            assertThat(log.hwCompletedSeq()).isZero();
            assertThat(log.completedMessages()).isZero();
            return RewindPlan.of(log, peer, writes);
        }, new ReceiverCounts(0, 0), WriteReplay.REPLAY);
    }

    @Test
    void afterAResetNothingIsLeftAndMessagesCountFromZero() {
        postWindow();
        queue.reset();
        assertThat(queue.retired()).isEqualTo(WINDOW.size());
        assertThat(log().completedMessages()).isZero();
        assertThat(queue.hasBacklog()).isFalse();
        attachAndOpen(hardware, 0, 2);
        assertThat(hardware.all()).isEmpty();
        queue.post(send(0).address());
        queue.closeGate();
        assertThat(judge(0).resumeAt()).isEqualTo(WINDOW.size());
        assertThat(judge(1).completeUpTo()).isEqualTo(WINDOW.size() + 1L);
        queue.retireThrough(WINDOW.size());
        assertThat(log().completedMessages()).isEqualTo(1);
    }
}
