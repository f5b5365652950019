package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.TestPair.Side;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.memory.SoftMr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What keys, ranges, rights, lengths and shapes do on each side. */
class ProtectionTest {
    private static final int READ = 3 * 1024;
    private static final int READS = 4;

    /** A remote operation that the responder must refuse because of its memory. */
    enum Trespass {
        WRITE_BEHIND_THE_END(AccessFlags.REMOTE_WRITE) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_WRITE, 1, 0, 600)
                        .rdma(b.addr(TestPair.BUFFER - 599), b.mr.rkey());
            }
        },
        WRITE_BEFORE_THE_START(AccessFlags.REMOTE_WRITE) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_WRITE, 1, 0, 600).rdma(b.addr(-1), b.mr.rkey());
            }
        },
        WRITE_WITH_WRONG_KEY(AccessFlags.REMOTE_WRITE) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_WRITE, 1, 0, 600).rdma(b.addr(0), b.mr.rkey() ^ 1);
            }
        },
        READ_WITH_KEY_BEYOND_THE_TABLE(AccessFlags.REMOTE_READ) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_READ, 1, 0, 600).rdma(b.addr(0), -1);
            }
        },
        WRITE_WITHOUT_RIGHT(AccessFlags.REMOTE_WRITE) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_WRITE, 1, 0, 10).rdma(b.addr(0), b.mr.rkey());
            }
        },
        READ_WITHOUT_RIGHT(AccessFlags.REMOTE_READ) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.RDMA_READ, 1, 0, 10).rdma(b.addr(0), b.mr.rkey());
            }
        },
        ATOMIC_WITHOUT_RIGHT(AccessFlags.REMOTE_ATOMIC) {
            @Override
            SendWorkRequest request(final Side a, final Side b) {
                return a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, 0, 8).atomic(b.addr(0), b.mr.rkey(), 1, 0);
            }
        };

        final int right;

        Trespass(final int right) {
            this.right = right;
        }

        abstract SendWorkRequest request(Side a, Side b);

        boolean isAboutRights() {
            return name().endsWith("WITHOUT_RIGHT");
        }
    }

    private static void expectRefusal(
            final TestPair pair, final SendWorkRequest request, final WcStatus status, final AsyncEventType event) {
        pair.b.postRecv(7, 0, 10);
        pair.a.post(request);
        pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
        pair.settle();
        assertThat(pair.a.pollSends())
                .extracting(Completion::status)
                .containsExactly(status, WcStatus.WR_FLUSH_ERR);
        assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(pair.b.eventTypes()).containsExactly(event);
        assertThat(pair.a.events).isEmpty();
        assertThat(pair.b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.a.qp.state()).isEqualTo(QpState.ERR);
    }

    @ParameterizedTest
    @EnumSource(Trespass.class)
    void trespassIsRefusedByTheRegion(final Trespass trespass) {
        final TestPair.Options options = new TestPair.Options();
        if (trespass.isAboutRights()) {
            options.mrAccessB = TestPair.ALL_ACCESS & ~trespass.right;
        }
        try (TestPair pair = new TestPair(options)) {
            final byte[] before = pair.b.bytes(0, TestPair.BUFFER);
            pair.a.fill(0, 1000, 200);
            expectRefusal(
                    pair, trespass.request(pair.a, pair.b), WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
            assertThat(pair.b.bytes(0, TestPair.BUFFER)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Trespass.class,
            names = {"WRITE_WITHOUT_RIGHT", "READ_WITHOUT_RIGHT", "ATOMIC_WITHOUT_RIGHT"})
    void trespassIsRefusedByTheQueuePair(final Trespass trespass) {
        final TestPair.Options options = new TestPair.Options();
        options.accessB = TestPair.ALL_ACCESS & ~trespass.right;
        try (TestPair pair = new TestPair(options)) {
            expectRefusal(
                    pair, trespass.request(pair.a, pair.b), WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void keyOfAnotherDomainIsRefused() {
        try (TestPair pair = new TestPair()) {
            final SoftPd other = pair.b.nic.allocPd(null);
            final SoftMr foreign = other.regMr(pair.b.memory, TestPair.ALL_ACCESS);
            expectRefusal(
                    pair,
                    pair.a.request(WrOpcode.RDMA_WRITE, 1, 0, 10).rdma(pair.b.addr(0), foreign.rkey()),
                    WcStatus.REM_ACCESS_ERR,
                    AsyncEventType.QP_ACCESS_ERR);
            foreign.close();
            other.close();
        }
    }

    @Test
    void keyOfAClosedRegionIsDeadAndItsSuccessorIsAnother() {
        try (TestPair pair = new TestPair()) {
            final SoftMr old = pair.b.pd.regMr(pair.b.memory, TestPair.ALL_ACCESS);
            old.close();
            for (int i = 0; i < 100; i++) {
                final SoftMr next = pair.b.pd.regMr(pair.b.memory, TestPair.ALL_ACCESS);
                assertThat(next.rkey()).isNotEqualTo(old.rkey());
                next.close();
            }
            expectRefusal(
                    pair,
                    pair.a.request(WrOpcode.RDMA_READ, 1, 0, 10).rdma(pair.b.addr(0), old.rkey()),
                    WcStatus.REM_ACCESS_ERR,
                    AsyncEventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void misalignedAtomicIsAnInvalidRequest() {
        try (TestPair pair = new TestPair()) {
            expectRefusal(
                    pair,
                    pair.a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, 0, 8)
                            .atomic(pair.b.addr(4), pair.b.mr.rkey(), 1, 0),
                    WcStatus.REM_INV_REQ_ERR,
                    AsyncEventType.QP_REQ_ERR);
        }
    }

    @Test
    void messageLongerThanItsReceive() {
        try (TestPair pair = new TestPair()) {
            pair.b.postRecv(7, 0, 599);
            pair.b.postRecv(8, 0, 599);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.REM_INV_REQ_ERR);
            assertThat(pair.b.pollReceives())
                    .extracting(Completion::status)
                    .containsExactly(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR);
            assertThat(pair.b.events).isEmpty();
        }
    }

    /** Four READs of 3 KB in packets of 256 bytes, and a message that is too long for its receive. */
    private static void owesMuchAndRefuses(final TestPair pair) {
        pair.b.fill(0, READ, 5);
        for (int i = 0; i < READS; i++) {
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, i, READ, READ).rdma(pair.b.addr(0), pair.b.mr.rkey()));
        }
        pair.b.postRecv(7, READ, 10);
        pair.b.postRecv(8, READ, 10);
        pair.a.post(pair.a.request(WrOpcode.SEND, READS, 0, 11));
        pair.a.nic.doWork(pair.now);
        assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo(READS + 1);
        pair.b.nic.doWork(pair.now);
    }

    @Test
    void whatIsOwedBeforeARefusalGoesOutInTurnsOfABurst() {
        try (TestPair pair = new TestPair()) {
            owesMuchAndRefuses(pair);
            final int burst = pair.options.config.burstPackets();
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(burst);
            assertThat(pair.b.qp.state()).isEqualTo(QpState.RTS);
            // Comes again, behind what is refused.
            pair.a.nic.doWork(pair.now += 1_000_000_000L);
            pair.b.nic.doWork(pair.now);
            assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(2 * burst);
            pair.settle();
            assertThat(pair.a.pollSends())
                    .extracting(Completion::status)
                    .containsExactly(
                            WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS,
                            WcStatus.REM_INV_REQ_ERR);
            assertThat(pair.a.bytes(READ, READ)).isEqualTo(pair.b.bytes(0, READ));
            assertThat(pair.b.pollReceives())
                    .extracting(Completion::wrId, Completion::status)
                    .containsExactly(tuple(7L, WcStatus.LOC_LEN_ERR), tuple(8L, WcStatus.WR_FLUSH_ERR));
            assertThat(pair.b.qp.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void receiveOfARefusalThatWaitsIsFlushedOnceWhereTheQueuePairEndsFirst() {
        try (TestPair pair = new TestPair()) {
            owesMuchAndRefuses(pair);
            pair.b.qp.modify(new QpAttributes().qpState(QpState.ERR));
            pair.settle();
            assertThat(pair.b.pollReceives())
                    .extracting(Completion::wrId, Completion::status)
                    .containsExactly(tuple(7L, WcStatus.WR_FLUSH_ERR), tuple(8L, WcStatus.WR_FLUSH_ERR));
        }
    }

    @Test
    void receiveWithBadKey() {
        try (TestPair pair = new TestPair()) {
            pair.b.qp.postRecv(pair.b.recv.wrId(7).next(0).sge(pair.b.addr(0), 100, pair.b.mr.lkey() ^ 1));
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.REM_OP_ERR);
            assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    void localFaultsWaitForWhatWasPostedBefore() {
        final List<Consumer<TestPair>> faults = List.of(
                pair -> pair.a.request(WrOpcode.SEND, 2, 0, 10).sge(pair.a.addr(0), 10, pair.a.mr.lkey() ^ 1),
                pair -> pair.a.request(WrOpcode.SEND, 2, 0, 10).sge(pair.a.addr(-1), 10, pair.a.mr.lkey()),
                pair -> pair.a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, 2, 0, 7)
                        .atomic(pair.b.addr(0), pair.b.mr.rkey(), 1, 0),
                pair -> pair.a.request(WrOpcode.RDMA_WRITE, 2, 0, 2000).rdma(pair.b.addr(0), pair.b.mr.rkey()));
        final List<WcStatus> statuses = List.of(
                WcStatus.LOC_PROT_ERR, WcStatus.LOC_PROT_ERR, WcStatus.LOC_LEN_ERR, WcStatus.LOC_LEN_ERR);
        for (int i = 0; i < faults.size(); i++) {
            final TestPair.Options options = new TestPair.Options();
            options.config.maxMessageBytes(1999);
            try (TestPair pair = new TestPair(options)) {
                pair.b.postRecv(1, 1024, 1000);
                pair.b.postRecv(2, 1024, 1000);
                pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 1000));
                faults.get(i).accept(pair);
                pair.a.post(pair.a.send);
                pair.a.post(pair.a.request(WrOpcode.SEND, 3, 0, 10));
                pair.settle();
                assertThat(pair.a.pollSends())
                        .as("fault %d", i)
                        .extracting(Completion::status)
                        .containsExactly(WcStatus.SUCCESS, statuses.get(i), WcStatus.WR_FLUSH_ERR);
                assertThat(pair.b.pollReceives()).hasSize(1);
            }
        }
    }

    @Test
    void readIntoMemoryWithoutLocalWrite() {
        try (TestPair pair = new TestPair()) {
            final SoftMr readOnly = pair.a.pd.regMr(pair.a.memory, AccessFlags.REMOTE_READ);
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 1, 0, 10)
                    .sge(pair.a.addr(0), 10, readOnly.lkey())
                    .rdma(pair.b.addr(0), pair.b.mr.rkey()));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.LOC_PROT_ERR);
            readOnly.close();
        }
    }

    @Test
    void memoryOfAClosedArenaIsNotRegistered() {
        final MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(8);
        }
        try (TestPair pair = new TestPair()) {
            assertThatThrownBy(() -> pair.a.pd.regMr(gone, AccessFlags.LOCAL_WRITE))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT))
                    .hasMessageContaining("the memory's arena was closed; give other memory");
        }
    }

    @Test
    void strangersAndSpoiltPacketsAreDroppedAndCounted() {
        try (TestPair pair = new TestPair()) {
            pair.link.a.shownAddress = TestPair.v4(0x7f000063);
            pair.b.postRecv(1, 0, 10);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            // Another address than the sender's also spoils the ICRC; that is judged first.
            assertThat(pair.b.count(NicCounter.DROP_ICRC)).isEqualTo(1);
            assertThat(pair.b.pollReceives()).isEmpty();
            pair.link.a.shownAddress = TestPair.GID_A;
            pair.settle();
            assertThat(pair.b.pollReceives()).hasSize(1);
        }
        final TestPair.Options options = new TestPair.Options();
        options.config.verifyIcrc(false);
        try (TestPair pair = new TestPair(options)) {
            pair.link.a.shownAddress = TestPair.v4(0x7f000063);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            assertThat(pair.b.count(NicCounter.DROP_WRONG_SOURCE)).isEqualTo(1);
        }
    }

    /** As SEND with invalidate: the peer hears that at once, and not by silence after all its retries. */
    @ParameterizedTest
    @ValueSource(ints = {0x15, 0x16, 0x17, 0x1f})
    void aRequestThatIsNotCarriedIsRefusedAsInvalid(final int opcode) {
        final TestPair.Options options = new TestPair.Options();
        options.config.verifyIcrc(false);
        try (TestPair pair = new TestPair(options)) {
            pair.link.a.spoiler = packet -> packet[0] = (byte) opcode;
            pair.b.postRecv(1, 0, 100);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 100));
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.REM_INV_REQ_ERR);
            assertThat(pair.b.eventTypes()).containsExactly(AsyncEventType.QP_REQ_ERR);
            assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
        }
    }
}
