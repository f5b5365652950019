package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every opcode, at every size where segmentation changes. */
class RcOperationsTest {
    private static final int TARGET = 16 * 1024;
    private static final int IMM = 0x12345678;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 255, 256, 257, 511, 512, 513, 1000, 5 * 256, 9000})
    void sendsAllSizes(final int size) {
        for (final boolean hasImmediate : new boolean[] {false, true}) {
            try (TestPair pair = new TestPair()) {
                pair.a.fill(0, size, 7);
                pair.b.postRecv(1, TARGET, 10_000);
                pair.a.post(pair.a
                        .request(hasImmediate ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND, 9, 0, size)
                        .immData(IMM));
                pair.run();
                assertThat(pair.a.pollSends()).singleElement().satisfies(c -> {
                    assertThat(c.wrId()).isEqualTo(9);
                    assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
                    assertThat(c.opcode()).isEqualTo(WcOpcode.SEND.code());
                    assertThat(c.qpNum()).isEqualTo(pair.a.qp.qpNum());
                });
                final Completion received = pair.b.pollReceives().getFirst();
                assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(received.wrId()).isEqualTo(1);
                assertThat(received.byteLen()).isEqualTo(size);
                assertThat(received.opcode()).isEqualTo(WcOpcode.RECV.code());
                assertThat(received.flags()).isEqualTo(hasImmediate ? WcFlags.WITH_IMM : 0);
                assertThat(received.immData()).isEqualTo(hasImmediate ? IMM : 0);
                assertThat(pair.b.bytes(TARGET, size)).isEqualTo(pair.a.bytes(0, size));
                assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo(Math.max(1, (size + 255) / 256));
                assertThat(pair.link.sent[TestLink.B_TO_A]).isEqualTo(size < 16 * 256 ? 1 : 3);
                assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 257, 512, 1000, 9000, 20_000})
    void writesAndReadsAllSizes(final int size) {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, size, 3);
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 1, 0, size).rdma(pair.b.addr(TARGET), pair.b.mr.rkey()));
            pair.run();
            assertThat(pair.b.bytes(TARGET, size)).isEqualTo(pair.a.bytes(0, size));
            assertThat(pair.b.pollReceives()).isEmpty();
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 2, 30_000, size)
                    .rdma(pair.b.addr(TARGET), pair.b.mr.rkey()));
            pair.run();
            assertThat(pair.a.bytes(30_000, size)).isEqualTo(pair.a.bytes(0, size));
            assertThat(pair.a.pollSends())
                    .extracting(Completion::wrId, Completion::status, Completion::opcode)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple(1L, WcStatus.SUCCESS, WcOpcode.RDMA_WRITE.code()),
                            org.assertj.core.groups.Tuple.tuple(2L, WcStatus.SUCCESS, WcOpcode.RDMA_READ.code()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 256, 257, 1000})
    void writesWithImmediate(final int size) {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, size, 3);
            pair.b.postRecv(5, 0, 0);
            pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE_WITH_IMM, 1, 0, size)
                    .rdma(pair.b.addr(TARGET), pair.b.mr.rkey())
                    .immData(IMM));
            pair.run();
            final Completion received = pair.b.pollReceives().getFirst();
            assertThat(received.opcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM.code());
            assertThat(received.byteLen()).isEqualTo(size);
            assertThat(received.immData()).isEqualTo(IMM);
            assertThat(pair.b.bytes(TARGET, size)).isEqualTo(pair.a.bytes(0, size));
            assertThat(pair.a.pollSends()).hasSize(1);
        }
    }

    @Test
    void atomicsReturnWhatWasThere() {
        try (TestPair pair = new TestPair()) {
            NativeMemory.putLong(pair.b.addr(TARGET), 40);
            pair.a.post(pair.a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, 0, 8)
                    .atomic(pair.b.addr(TARGET), pair.b.mr.rkey(), 2, 0));
            pair.a.post(pair.a.request(WrOpcode.ATOMIC_CMP_AND_SWP, 2, 8, 8)
                    .atomic(pair.b.addr(TARGET), pair.b.mr.rkey(), 42, 99));
            pair.a.post(pair.a.request(WrOpcode.ATOMIC_CMP_AND_SWP, 3, 16, 8)
                    .atomic(pair.b.addr(TARGET), pair.b.mr.rkey(), 42, 7));
            pair.run();
            assertThat(pair.a.pollSends())
                    .extracting(Completion::opcode)
                    .containsExactly(
                            WcOpcode.FETCH_ADD.code(), WcOpcode.COMP_SWAP.code(), WcOpcode.COMP_SWAP.code());
            assertThat(NativeMemory.getLong(pair.a.addr(0))).isEqualTo(40);
            assertThat(NativeMemory.getLong(pair.a.addr(8))).isEqualTo(42);
            assertThat(NativeMemory.getLong(pair.a.addr(16))).isEqualTo(99);
            assertThat(NativeMemory.getLong(pair.b.addr(TARGET))).isEqualTo(99);
        }
    }

    @Test
    void gathersAndScattersLists() {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, 1000, 5);
            final int key = pair.a.mr.lkey();
            final int target = pair.b.mr.lkey();
            pair.b.recv.wrId(1).next(0).numSge(3);
            pair.b.recv.sge(0, pair.b.addr(0), 10, target).sge(1, pair.b.addr(100), 0, target);
            pair.b.recv.sge(2, pair.b.addr(200), 2000, target);
            assertThat(pair.b.qp.postRecv(pair.b.recv)).isEqualTo(1);
            pair.a.request(WrOpcode.SEND, 1, 0, 0).numSge(3);
            pair.a.send.sge(0, pair.a.addr(0), 300, key).sge(1, pair.a.addr(300), 1, key);
            pair.a.send.sge(2, pair.a.addr(301), 699, key);
            pair.a.post(pair.a.send);
            pair.run();
            assertThat(pair.b.bytes(0, 10)).isEqualTo(pair.a.bytes(0, 10));
            assertThat(pair.b.bytes(200, 990)).isEqualTo(pair.a.bytes(10, 990));
        }
    }

    @Test
    void inlineDataIsCopiedAtPost() {
        try (TestPair pair = new TestPair()) {
            pair.a.fill(0, 64, 1);
            final byte[] before = pair.a.bytes(0, 64);
            pair.b.postRecv(1, 0, 64);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 64).sendFlags(SendFlags.INLINE | SendFlags.SIGNALED));
            pair.a.fill(0, 64, 99);
            pair.run();
            assertThat(pair.b.bytes(0, 64)).isEqualTo(before);
        }
    }

    @Test
    void sequenceNumbersWrap() {
        final TestPair.Options options = new TestPair.Options();
        options.psnA = 0xff_fffe;
        options.psnB = 0xff_ffff;
        try (TestPair pair = new TestPair(options)) {
            for (int i = 0; i < 10; i++) {
                final int size = 300 * i;
                pair.a.fill(0, size, i);
                pair.b.fill(0, size, i + 50);
                pair.b.postRecv(i, TARGET, 10_000);
                pair.a.postRecv(i, TARGET, 10_000);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, size));
                pair.b.post(pair.b.request(WrOpcode.SEND, i, 0, size));
                pair.run();
                pair.a.post(pair.a.request(WrOpcode.RDMA_READ, i, 40_000, size)
                        .rdma(pair.b.addr(0), pair.b.mr.rkey()));
                pair.run();
                assertThat(pair.b.bytes(TARGET, size)).isEqualTo(pair.a.bytes(0, size));
                assertThat(pair.a.bytes(TARGET, size)).isEqualTo(pair.b.bytes(0, size));
                assertThat(pair.a.bytes(40_000, size)).isEqualTo(pair.b.bytes(0, size));
            }
            assertThat(pair.a.pollSends()).hasSize(20).allMatch(c -> c.status() == WcStatus.SUCCESS);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
            assertThat(pair.a.count(NicCounter.STALE_RESPONSES)).isZero();
        }
    }

    @Test
    void unsignaledRequestsCompleteNothing() {
        final TestPair.Options options = new TestPair.Options();
        options.sqSigAll = false;
        try (TestPair pair = new TestPair(options)) {
            for (int i = 0; i < 3 * options.maxWr; i++) {
                pair.b.postRecv(i, 0, 64);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 64).sendFlags(i % 4 == 3 ? SendFlags.SIGNALED : 0));
                pair.run();
            }
            final List<Long> ids = pair.a.pollSends().stream().map(Completion::wrId).toList();
            assertThat(ids).hasSize(3 * options.maxWr / 4).allMatch(id -> id % 4 == 3);
            assertThat(pair.b.pollReceives()).hasSize(3 * options.maxWr);
        }
    }

    @Test
    void fenceWaitsForEarlierReads() {
        try (TestPair pair = new TestPair()) {
            pair.b.fill(TARGET, 256, 9);
            // The READ's answer is lost once, so that without a fence the SEND would carry the old bytes.
            pair.link.fates = (direction, number, opcode) ->
                    direction == TestLink.B_TO_A && number == 0 ? TestLink.Fate.DROP : TestLink.Fate.PASS;
            pair.b.postRecv(1, 0, 256);
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 1, 0, 256).rdma(pair.b.addr(TARGET), pair.b.mr.rkey()));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 256).sendFlags(SendFlags.FENCE | SendFlags.SIGNALED));
            pair.settle();
            assertThat(pair.b.bytes(0, 256)).isEqualTo(pair.b.bytes(TARGET, 256));
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L, 2L);
        }
    }

    @Test
    void readsAndAtomicsStayWithinTheirLimit() {
        final TestPair.Options options = new TestPair.Options();
        options.maxRdAtomic = 2;
        try (TestPair pair = new TestPair(options)) {
            for (int i = 0; i < 5; i++) {
                pair.a.post(pair.a.request(WrOpcode.RDMA_READ, i, 0, 100).rdma(pair.b.addr(0), pair.b.mr.rkey()));
            }
            pair.a.nic.doWork(pair.now);
            assertThat(pair.link.sent[TestLink.A_TO_B]).isEqualTo(2);
            pair.run();
            assertThat(pair.a.pollSends()).hasSize(5);
        }
    }

    @Test
    void worksOverIpv6() {
        final TestPair.Options options = new TestPair.Options();
        options.gidA = new io.vhca.api.Gid(0xfd00L << 48, 1);
        options.gidB = new io.vhca.api.Gid(0xfd00L << 48, 2);
        try (TestPair pair = new TestPair(options)) {
            pair.a.fill(0, 1000, 4);
            pair.b.postRecv(1, TARGET, 1000);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 1000));
            pair.run();
            assertThat(pair.b.bytes(TARGET, 1000)).isEqualTo(pair.a.bytes(0, 1000));
        }
    }

    @Test
    void nothingIsReadAndWrittenAtAnyAddress() {
        for (final WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE}) {
            try (TestPair pair = new TestPair()) {
                pair.a.post(pair.a.request(opcode, 1, 0, 0).rdma(Long.MIN_VALUE + 7, 0));
                pair.settle();
                assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
                assertThat(pair.b.count(NicCounter.QP_FAULTS)).isZero();
            }
        }
    }
}
