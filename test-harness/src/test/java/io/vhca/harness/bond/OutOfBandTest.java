package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondConfig;
import io.vhca.physical.soft.fabric.Verdict;
import io.vhca.recovery.wire.FailureReason;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queue pairs that modifyQp alone brings up: who may be late, who may stay in RTR, and what a RESET ends. */
class OutOfBandTest {
    private static final long MS = BondPair.MS;
    private static final int DEPTH = 4;

    private final Arena arena = Arena.ofShared();
    private final BondPair pair = new BondPair(OutOfBandTest::patient);
    private final End left = new End(pair.left);
    private final End right = new End(pair.right);

    private static BondConfig.Builder patient(final BondConfig.Builder config) {
        return config.recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(10));
    }

    @AfterEach
    void close() {
        left.close();
        right.close();
        pair.close();
        arena.close();
    }

    /** One end of a connection whose numbers are exchanged out of band. */
    private final class End {
        final BondPair.Host host;
        final CompletionQueue cq;
        final QueuePair qp;
        final List<String> done = new ArrayList<>();
        private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
        private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
        private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
        int receives = DEPTH;
        int rdAtomic = 1;
        int rnrRetry = 7;
        int trafficClass;

        End(final BondPair.Host host) {
            this.host = host;
            cq = host.bond.createCq(64, null, null);
            qp = host.pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        }

        void init() {
            qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1)
                    .accessFlags(AccessFlags.REMOTE_ATOMIC));
            for (int i = 0; i < receives; i++) {
                final int posted = qp.postRecv(
                        recv.wrId(100 + i).sge(host.region.addr(), BondPair.MESSAGE_BYTES, host.region.lkey()));
                assertThat(posted).isEqualTo(1);
            }
        }

        void toRtr(final End other, final int rqPsn) {
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTR)
                    .ah(new AhAttributes(other.host.bond.queryGid(1, 0), 0, 0, trafficClass, 1))
                    .pathMtu(Mtu.MTU_1024)
                    .destQpNum(other.qp.qpNum())
                    .rqPsn(rqPsn)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(12));
        }

        void toRts(final int sqPsn) {
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTS)
                    .timeout(14)
                    .retryCnt(7)
                    .rnrRetry(rnrRetry)
                    .sqPsn(sqPsn)
                    .maxRdAtomic(rdAtomic));
        }

        void up(final End other, final int psn) {
            init();
            toRtr(other, psn);
            toRts(psn);
        }

        void reset() {
            qp.modify(new QpAttributes().qpState(QpState.RESET));
            poll();
            done.clear();
        }

        void send(final int wrId) {
            post(wrId, WrOpcode.SEND);
        }

        void read(final int wrId, final End from) {
            send.rdma(from.host.region.addr(), from.host.region.rkey());
            post(wrId, WrOpcode.RDMA_READ);
        }

        void fetchAndAdd(final int wrId, final MemoryRegion word) {
            send.atomic(word.addr(), word.rkey(), 1, 0);
            post(wrId, WrOpcode.ATOMIC_FETCH_AND_ADD, Long.BYTES);
        }

        private void post(final int wrId, final WrOpcode opcode) {
            post(wrId, opcode, BondPair.MESSAGE_BYTES);
        }

        private void post(final int wrId, final WrOpcode opcode, final int lengthBytes) {
            final int posted = qp.postSend(send.wrId(wrId)
                    .opcode(opcode)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(host.region.addr(), lengthBytes, host.region.lkey()));
            assertThat(posted).isEqualTo(1);
        }

        void poll() {
            while (cq.poll(wc) == 1) {
                done.add(wc.statusName() == WcStatus.SUCCESS ? "" + wc.wrId() : wc.statusName() + " " + wc.wrId());
            }
        }

        void close() {
            qp.close();
            cq.close();
        }
    }

    private void assertDone(final End end, final String... expected) {
        pair.runUntil(
                () -> {
                    left.poll();
                    right.poll();
                    return end.done.size() >= expected.length;
                },
                5_000 * MS);
        assertThat(end.done).containsExactly(expected);
        end.done.clear();
    }

    @Test
    void aPureResponderStaysInRtr() {
        right.init();
        right.toRtr(left, 7);
        left.init();
        left.toRtr(right, 8);
        left.toRts(7);
        left.send(1);
        assertDone(right, "100");
        assertDone(left, "1");
        final AsyncEvent event = pair.right.bond.getAsyncEvent(0);
        assertThat(event).isEqualTo(AsyncEvent.ofQp(AsyncEventType.COMM_EST, right.qp));

        pair.left.ports[0].up(false);
        left.send(2);
        assertDone(right, "101");
        assertThat(pair.left.failovers()).isNotEmpty().allMatch(report -> report.error() == null);
        assertDone(left, "2");

        try (MemoryRegion word = pair.right.pd.regMr(
                arena.allocate(Long.BYTES, Long.BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC)) {
            left.fetchAndAdd(4, word);
            assertDone(left, "4");
            assertThat(NativeMemory.getLong(word.addr())).isEqualTo(1);
        }

        right.toRts(8);
        right.send(3);
        assertDone(left, "100");
        assertDone(right, "3");
    }

    /** Each side's address vector says it for what that side sends. */
    @Test
    void theClassOfTheAddressVectorIsOnEachMember() {
        final Set<String> seen = new TreeSet<>();
        pair.fabric.faults((from, to, trafficClass, packet, lengthBytes, nowNs) -> {
            if (trafficClass != 0) {
                seen.add(from + " " + trafficClass);
            }
            return Verdict.DELIVER;
        });
        left.trafficClass = 0x28;
        right.trafficClass = 0x50;
        left.up(right, 7);
        right.up(left, 7);
        left.send(1);
        assertDone(left, "1");
        pair.left.ports[0].up(false);
        left.send(2);
        assertDone(left, "2");
        pair.runFor(100 * MS);
        assertThat(seen).contains(
                pair.left.ports[0].index() + " 40", pair.left.ports[1].index() + " 40",
                pair.right.ports[0].index() + " 80");
    }

    @Test
    void theFirstToComeUpWaitsForTheOther() {
        left.up(right, 100);
        left.send(1);
        pair.runFor(3_000 * MS);
        assertThat(left.done).isEmpty();
        right.up(left, 100);
        assertDone(right, "100");
        assertDone(left, "1");
    }

    @Test
    void withNothingPostedItWaitsForAsLongAsItTakes() {
        left.up(right, 100);
        pair.runFor(60_000 * MS);
        assertThat(left.qp.state()).isEqualTo(QpState.RTS);
        right.up(left, 100);
        right.send(1);
        assertDone(left, "100");
    }

    /** Hardware can; the connection manager, by which physical QPs come to be connected, needs two. */
    @Test
    void aQueuePairIsNotItsOwnPeer() {
        left.init();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> left.toRtr(left, 7))
                .withMessageContaining("its own peer")
                .matches(e -> e.errno() == Errno.EOPNOTSUPP);
        assertThat(left.qp.state()).isEqualTo(QpState.INIT);
        left.toRtr(right, 100);
        left.toRts(100);
        right.up(left, 100);
        left.send(1);
        assertDone(right, "100");
    }

    @Test
    void readsUnderWayAreThoseOfModifyQp() {
        left.receives = 0;
        left.rdAtomic = 0;
        left.up(right, 100);
        right.up(left, 100);
        left.read(1, right);
        assertDone(left, "LOC_QP_OP_ERR 1");
    }

    @Test
    void requestsAreRepeatedForAReceiverThatIsNotReadyAsModifyQpSays() {
        left.rnrRetry = 1;
        right.receives = 0;
        left.up(right, 100);
        right.up(left, 100);
        left.send(1);
        assertDone(left, "RNR_RETRY_EXC_ERR 1", "WR_FLUSH_ERR 100", "WR_FLUSH_ERR 101", "WR_FLUSH_ERR 102",
                "WR_FLUSH_ERR 103");
    }

    /** The right side asks, and is answered, while the left one is in RTR; then that one goes to RTS with one retry. */
    private void toRtsAfterThePeer(final int receives, final long inRtrNs) {
        left.rnrRetry = 1;
        right.receives = receives;
        left.init();
        left.toRtr(right, 100);
        right.up(left, 100);
        right.send(7);
        assertDone(left, "100");
        assertDone(right, "7");
        pair.runFor(inRtrNs);
        left.toRts(100);
        left.send(1);
    }

    @Test
    void whatIsToldAfterThePeerHasConnectedHoldsAfterAFailoverToo() {
        toRtsAfterThePeer(1, 0);
        assertDone(right, "100");
        assertDone(left, "1");
        pair.left.ports[0].up(false);
        pair.runFor(1_000 * MS);
        left.send(2);
        assertDone(left, "RNR_RETRY_EXC_ERR 2", "WR_FLUSH_ERR 101", "WR_FLUSH_ERR 102", "WR_FLUSH_ERR 103");
    }

    /** What stands by by then was made before it was told, too. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3_000})
    void whatIsToldAfterThePeerHasConnectedMakesAnotherPhysicalQueuePair(final int inRtrMs) {
        toRtsAfterThePeer(0, inRtrMs * MS);
        assertRetriesEndAfterAPlannedMove();
    }

    private void assertRetriesEndAfterAPlannedMove() {
        // Sooner than a queue pair that hangs is noticed.
        pair.runUntil(
                () -> {
                    left.poll();
                    return !left.done.isEmpty();
                },
                50 * MS);
        assertThat(left.done).startsWith("RNR_RETRY_EXC_ERR 1");
        assertThat(pair.left.failovers().getLast().reason()).isEqualTo(FailureReason.PLANNED);
    }

    /** A physical queue pair is in RTS all the while, and takes no other. */
    @Test
    void anRnrRetryThatIsChangedInSqdHoldsOnceSendsGoOn() {
        right.receives = 0;
        left.up(right, 100);
        right.up(left, 100);
        pair.runFor(3_000 * MS);
        left.qp.modify(new QpAttributes().qpState(QpState.SQD));
        left.qp.modify(new QpAttributes().rnrRetry(1));
        left.qp.modify(new QpAttributes().qpState(QpState.RTS));
        left.send(1);
        assertRetriesEndAfterAPlannedMove();
    }

    @Test
    void moreReadsThanADeviceHasAreRefused() {
        left.init();
        left.toRtr(right, 7);
        final int most = pair.left.bond.queryDevice().maxQpInitRdAtom();
        left.rdAtomic = most + 1;
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> left.toRts(8))
                .withMessageContaining("max_rd_atomic " + (most + 1) + " is not in 0 .. " + most)
                .matches(e -> e.errno() == Errno.EINVAL);
        assertThat(left.qp.state()).isEqualTo(QpState.RTR);
        left.rdAtomic = most;
        left.toRts(8);
        assertThat(left.qp.state()).isEqualTo(QpState.RTS);
    }

    /** No connection could be made with it, over any member. */
    @Test
    void moreRetriesThanTheWireHasRoomForAreRefused() {
        left.init();
        left.toRtr(right, 7);
        final QpAttributes change = new QpAttributes().qpState(QpState.RTS).sqPsn(7).timeout(14).retryCnt(7);
        change.rnrRetry(8).maxRdAtomic(1);
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> left.qp.modify(change))
                .withMessageContaining("rnr_retry 8 is not in 0 .. 7")
                .matches(e -> e.errno() == Errno.EINVAL);
        assertThat(left.qp.state()).isEqualTo(QpState.RTR);
        left.qp.modify(change.rnrRetry(7));
        assertThat(left.qp.state()).isEqualTo(QpState.RTS);
    }

    /** The peer's number for the first packet is not the one expected: hardware would not answer it either. */
    @Test
    void aPeerWithAnotherPsnIsNotThePeer() {
        right.init();
        right.toRtr(left, 7);
        left.init();
        left.toRtr(right, 8);
        left.toRts(6);
        left.send(1);
        assertThat(pair.runUntil(() -> left.qp.state() == QpState.ERR, 60_000 * MS)).isTrue();
        assertDone(left, "RETRY_EXC_ERR 1", "WR_FLUSH_ERR 100", "WR_FLUSH_ERR 101", "WR_FLUSH_ERR 102",
                "WR_FLUSH_ERR 103");
        assertThat(right.qp.state()).isEqualTo(QpState.RTR);
        assertThat(right.done).isEmpty();
    }

    @Test
    void anotherLifeMayHaveTheSameNumbers() {
        for (int life = 0; life < 3; life++) {
            left.up(right, 100);
            right.up(left, 100);
            left.send(1);
            assertDone(right, "100");
            assertDone(left, "1");
            right.send(2);
            assertDone(left, "100");
            assertDone(right, "2");
            if (life % 2 == 0) {
                left.reset();
                right.reset();
            } else {
                right.reset();
                left.reset();
            }
        }
    }

    /** One side is in its next life already while the other has not heard of the end of the last one. */
    @Test
    void aNewLifeDoesNotMeetTheOldOne() {
        left.up(right, 100);
        right.up(left, 100);
        left.send(1);
        assertDone(right, "100");
        assertDone(left, "1");

        left.reset();
        left.up(right, 100);
        left.send(2);
        pair.runFor(1_000 * MS);
        right.poll();
        assertThat(right.qp.state()).as("its session is over").isEqualTo(QpState.ERR);
        assertThat(right.done).allMatch(text -> text.startsWith("WR_FLUSH_ERR"));
        assertThat(left.qp.state()).isEqualTo(QpState.RTS);

        right.reset();
        right.up(left, 100);
        assertDone(right, "100");
        assertDone(left, "2");
        pair.left.ports[0].up(false);
        right.send(3);
        assertDone(left, "100");
        assertDone(right, "3");
    }

    /** As above, and nothing told the other side: the connection just ended. */
    @Test
    void aNewLifeIsRefusedByAnOldOneThatStillStands() {
        left.up(right, 100);
        right.up(left, 100);
        left.send(1);
        assertDone(right, "100");
        assertDone(left, "1");
        pair.block(0, true, true, true);
        left.reset();
        pair.runFor(5 * MS);
        pair.block(0, true, true, false);
        assertThat(right.qp.state()).isEqualTo(QpState.RTS);
        left.up(right, 100);
        left.send(2);
        pair.runFor(1_000 * MS);
        right.poll();
        assertThat(right.done).allMatch(text -> text.startsWith("WR_FLUSH_ERR"));
        assertThat(left.qp.state()).as("still waiting for its peer").isEqualTo(QpState.RTS);
        right.reset();
        right.up(left, 100);
        assertDone(right, "100");
        assertDone(left, "2");
    }
}
