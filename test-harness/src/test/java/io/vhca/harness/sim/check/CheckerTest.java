package io.vhca.harness.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.VerbsException;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Every checker is told the truth, which it lets pass, and then each lie that it is there for. */
class CheckerTest {
    private static final int REGION_BYTES = 256;

    private final Arena arena = Arena.ofConfined();
    private final long buffer = arena.allocate(4096, 64).address();
    private final long region = arena.allocate(REGION_BYTES, 64).address();
    private final long shadows = arena.allocate(2 * REGION_BYTES, 64).address();
    private final Violations violations = new Violations();
    /** 0 SEND 100 | 1 SEND_WITH_IMM 8 | 2 WRITE 32 at 0 | 3 WRITE_WITH_IMM 16 at 16 | 4 READ 64 at 0 | 5 SEND 100. */
    private final OpPlan plan = new OpPlan(42, 6, REGION_BYTES);

    CheckerTest() {
        plan.add(WrOpcode.SEND, 100, 0, SendFlags.SIGNALED, 1, 1);
        plan.add(WrOpcode.SEND_WITH_IMM, 8, 0, 0, 1, 1);
        plan.add(WrOpcode.RDMA_WRITE, 32, 0, 0, 1, 1);
        plan.add(WrOpcode.RDMA_WRITE_WITH_IMM, 16, 16, SendFlags.SIGNALED, 1, 1);
        plan.add(WrOpcode.RDMA_READ, 64, 0, SendFlags.SIGNALED, 1, 1);
        plan.add(WrOpcode.SEND, 100, 0, SendFlags.SIGNALED, 1, 1);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private void assertCaught(final String text) {
        assertThat(violations.texts()).isNotEmpty().allMatch(violation -> violation.contains(text));
    }

    @Nested
    class Delivery {
        private final DeliveryChecker checker = new DeliveryChecker(plan, "here", violations);

        private void receive(final int op) {
            receive(op, plan.lengthBytes(op), plan.hasImm(op), plan.imm(op));
        }

        private void receive(final int op, final int byteLen, final boolean hasImm, final int imm) {
            Content.fill(buffer, plan.lengthBytes(op), plan.contentKey(op));
            final WcOpcode opcode =
                    plan.opcode(op) == WrOpcode.RDMA_WRITE_WITH_IMM ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV;
            checker.onReceived(opcode.code(), byteLen, hasImm, imm, buffer);
        }

        @Test
        void passesTheTruth() {
            receive(0);
            receive(1);
            receive(3);
            receive(5);
            assertThat(violations.texts()).isEmpty();
            assertThat(checker.nextOp()).isEqualTo(plan.count());
            assertThat(checker.received()).isEqualTo(4);
        }

        @Test
        void catchesAMessageThatCameTwice() {
            receive(0);
            receive(0, 100, true, plan.imm(1));
            assertCaught("op 0 (SEND, 100 bytes) once more");
        }

        @Test
        void catchesAMessageThatIsMissing() {
            receive(1, 8, false, 0);
            assertCaught("op 1 (SEND_WITH_IMM, 8 bytes) too early");
        }

        @Test
        void catchesAMessageTooMany() {
            passesTheTruth();
            receive(5);
            assertCaught("a message too many arrived: op 5 (SEND, 100 bytes) once more");
        }

        @Test
        void catchesAByteThatChanged() {
            Content.fill(buffer, 100, plan.contentKey(0));
            NativeMemory.putByte(buffer + 99, (byte) ~NativeMemory.getByte(buffer + 99));
            checker.onReceived(WcOpcode.RECV.code(), 100, false, 0, buffer);
            assertCaught("belong to no message");
        }

        @Test
        void catchesAWrongLength() {
            receive(0, 99, false, 0);
            assertCaught("a RECV of 99 bytes");
        }

        @Test
        void catchesAWrongOpcode() {
            Content.fill(buffer, 100, plan.contentKey(0));
            checker.onReceived(WcOpcode.RECV_RDMA_WITH_IMM.code(), 100, false, 0, buffer);
            assertCaught("a RECV_RDMA_WITH_IMM");
        }

        @Test
        void catchesWrongOrMissingImmediateData() {
            receive(0);
            receive(1, 8, true, plan.imm(1) + 1);
            assertCaught("immediate data");
        }

        @Test
        void catchesImmediateDataThatNobodySent() {
            receive(0, 100, true, 7);
            assertCaught("should carry none");
        }
    }

    @Nested
    class Completions {
        private final SendCompletionChecker checker = new SendCompletionChecker(plan, false, "here", violations);

        Completions() {
            checker.onPosted(6);
        }

        private void success(final int op, final WcOpcode opcode) {
            checker.onCompletion(op, 0, opcode.code(), plan.lengthBytes(op));
        }

        private void error(final int op, final WcStatus status) {
            checker.onCompletion(op, status.code(), 0, 0);
        }

        @Test
        void passesTheTruth() {
            success(0, WcOpcode.SEND);
            success(3, WcOpcode.RDMA_WRITE);
            success(4, WcOpcode.RDMA_READ);
            success(5, WcOpcode.SEND);
            assertThat(violations.texts()).isEmpty();
            assertThat(checker.completed()).isEqualTo(6);
            assertThat(checker.succeeded()).isEqualTo(6);
        }

        @Test
        void passesAnErrorAndItsFlushes() {
            success(0, WcOpcode.SEND);
            error(2, WcStatus.RETRY_EXC_ERR);
            error(3, WcStatus.WR_FLUSH_ERR);
            error(4, WcStatus.WR_FLUSH_ERR);
            error(5, WcStatus.WR_FLUSH_ERR);
            assertThat(violations.texts()).isEmpty();
            assertThat(checker.firstError()).isEqualTo(WcStatus.RETRY_EXC_ERR);
            assertThat(checker.succeeded()).isEqualTo(2);
        }

        @Test
        void catchesACompletionThatCameTwice() {
            success(0, WcOpcode.SEND);
            success(0, WcOpcode.SEND);
            assertCaught("complete already");
        }

        @Test
        void catchesACompletionThatIsMissing() {
            success(3, WcOpcode.RDMA_WRITE);
            assertCaught("op 0 (SEND, 100 bytes) is still owed");
        }

        @Test
        void catchesACompletionNobodyAskedFor() {
            success(0, WcOpcode.SEND);
            success(1, WcOpcode.SEND);
            assertCaught("not signaled");
        }

        @Test
        void catchesACompletionOfNothing() {
            checker.onCompletion(6, 0, 0, 0);
            assertCaught("never posted");
        }

        @Test
        void catchesAWrongOpcode() {
            success(0, WcOpcode.RDMA_READ);
            assertCaught("completed as RDMA_READ");
        }

        @Test
        void catchesAReadOfWrongLength() {
            success(0, WcOpcode.SEND);
            success(3, WcOpcode.RDMA_WRITE);
            checker.onCompletion(4, 0, WcOpcode.RDMA_READ.code(), 63);
            assertCaught("completed as RDMA_READ of 63 bytes");
        }

        @Test
        void catchesAFlushWithoutACause() {
            error(0, WcStatus.WR_FLUSH_ERR);
            assertCaught("without an error before it");
        }

        @Test
        void letsAFlushPassAfterADisconnect() {
            checker.onDisconnect();
            error(0, WcStatus.WR_FLUSH_ERR);
            assertThat(violations.texts()).isEmpty();
        }

        @Test
        void letsWhatIsPostedAfterTheEventBeFlushed() {
            checker.onPosted(1);
            checker.onFatal();
            checker.onPosted(2);
            checker.onFatal();
            success(0, WcOpcode.SEND);
            error(1, WcStatus.WR_FLUSH_ERR);
            assertThat(violations.texts()).isEmpty();
        }

        @Test
        void catchesAFlushOfWhatWasPostedBeforeTheEvent() {
            checker.onPosted(2);
            checker.onFatal();
            success(0, WcOpcode.SEND);
            error(1, WcStatus.WR_FLUSH_ERR);
            assertCaught("without an error before it");
        }

        @Test
        void catchesARetryForAReceiverThatIsReady() {
            error(0, WcStatus.RNR_RETRY_EXC_ERR);
            assertCaught("a receive that is posted is found: here: RNR_RETRY_EXC_ERR for op 0 (SEND, 100 bytes)");
        }

        @Test
        void catchesASecondError() {
            error(0, WcStatus.RETRY_EXC_ERR);
            error(1, WcStatus.RETRY_EXC_ERR);
            assertCaught("only flushes may follow");
        }

        @Test
        void catchesASuccessAfterAnError() {
            error(0, WcStatus.RETRY_EXC_ERR);
            checker.onCompletion(1, 0, WcOpcode.SEND.code(), 0);
            assertCaught("SUCCESS for op 1");
        }

        @Test
        void catchesAFlushThatIsMissing() {
            error(0, WcStatus.RETRY_EXC_ERR);
            error(2, WcStatus.WR_FLUSH_ERR);
            assertCaught("op 1 (SEND_WITH_IMM, 8 bytes) is still owed");
        }

        /** What was posted before the queue pair failed is owed on any device. */
        @Test
        void whatADeviceMayForgetIsNotOwed() {
            error(0, WcStatus.RETRY_EXC_ERR);
            checker.mayForgetFrom(2);
            assertThat(checker.isSettled()).isFalse();
            error(1, WcStatus.WR_FLUSH_ERR);
            assertThat(checker.isSettled()).isTrue();
            error(2, WcStatus.WR_FLUSH_ERR);
            assertThat(checker.isSettled()).isTrue();
            assertThat(violations.texts()).isEmpty();
        }
    }

    @Nested
    class Receives {
        private final ReceiveCompletionChecker checker = new ReceiveCompletionChecker("here", violations);

        Receives() {
            checker.onPosted(4);
        }

        @Test
        void passesTheTruth() {
            assertThat(checker.onCompletion(0, 0)).isTrue();
            assertThat(checker.onCompletion(1, WcStatus.WR_FLUSH_ERR.code())).isFalse();
            assertThat(checker.onCompletion(2, WcStatus.WR_FLUSH_ERR.code())).isFalse();
            assertThat(violations.texts()).isEmpty();
        }

        /** What was posted before the queue pair failed is owed on any device. */
        @Test
        void whatADeviceMayForgetIsNotOwed() {
            checker.mayForgetFrom(3);
            for (int i = 0; i < 3; i++) {
                assertThat(checker.isSettled()).isFalse();
                checker.onCompletion(i, WcStatus.WR_FLUSH_ERR.code());
            }
            assertThat(checker.isSettled()).isTrue();
        }

        @Test
        void catchesWrongOrder() {
            checker.onCompletion(1, 0);
            assertCaught("due was 0");
        }

        @Test
        void catchesAReceiveThatCameTwice() {
            checker.onCompletion(0, 0);
            checker.onCompletion(0, 0);
            assertCaught("due was 1");
        }

        @Test
        void catchesASuccessAfterAFlush() {
            checker.onCompletion(0, WcStatus.WR_FLUSH_ERR.code());
            checker.onCompletion(1, 0);
            assertCaught("SUCCESS for receive 1");
        }

        @Test
        void catchesOneThatWasNotPosted() {
            for (int i = 0; i < 5; i++) {
                checker.onCompletion(i, 0);
            }
            assertCaught("of 4 posted");
        }
    }

    @Nested
    class Memory {
        private final MemoryChecker checker = new MemoryChecker(plan, region, shadows, "here", violations);

        Memory() {
            checker.initialise();
        }

        private void write(final int op) {
            Content.fill(region + plan.regionOffset(op), plan.lengthBytes(op), plan.contentKey(op));
        }

        @Test
        void passesTheTruth() {
            write(2);
            write(3);
            NativeMemory.copy(region, buffer, 64);
            checker.onReadCompleted(4, buffer, 6);
            checker.onMessageSeen(3, 6);
            checker.onMessageSeen(5, 6);
            checker.onQuiet(6, 6);
            assertThat(violations.texts()).isEmpty();
        }

        @Test
        void passesALaterWriteThatIsThereAlready() {
            write(2);
            write(3);
            checker.onMessageSeen(1, 6);
            checker.onQuiet(3, 4);
            assertThat(violations.texts()).isEmpty();
        }

        @Test
        void catchesALaterWriteThatWasNotPostedYet() {
            write(2);
            write(3);
            checker.onQuiet(3, 3);
            assertCaught("byte 16 of the region should be that of op 2");
        }

        @Test
        void catchesALostWrite() {
            write(2);
            checker.onMessageSeen(3, 4);
            assertCaught("should be that of op 3 (RDMA_WRITE_WITH_IMM, 16 bytes), it is that of op 2");
        }

        @Test
        void catchesAnOldWriteThatCameAgain() {
            write(2);
            write(3);
            write(2);
            checker.onQuiet(4, 4);
            assertCaught("it is that of op 2");
        }

        @Test
        void catchesAByteThatNobodyWrote() {
            write(2);
            write(3);
            NativeMemory.putByte(region + 200, (byte) ~NativeMemory.getByte(region + 200));
            checker.onQuiet(4, 4);
            assertCaught("byte 200 of the region should be untouched, it is foreign");
        }

        @Test
        void catchesAReadOfOldBytes() {
            NativeMemory.copy(region, buffer, 64);
            write(2);
            write(3);
            checker.onReadCompleted(4, buffer, 5);
            assertCaught("READ data");
        }
    }

    @Test
    void catchesASuccessWithoutDelivery() {
        AcknowledgementChecker.check(plan, 3, 2, "here", violations);
        assertThat(violations.texts()).isEmpty();
        AcknowledgementChecker.check(plan, 4, 2, "here", violations);
        assertCaught("3 messages were completed with success, only 2 reached the peer");
    }

    @Test
    void catchesCountsThatDiffer() {
        final SendCompletionChecker sends = new SendCompletionChecker(plan, true, "here", violations);
        sends.onPosted(6);
        for (int op = 0; op < 6; op++) {
            final WcOpcode opcode =
                    plan.isRead(op) ? WcOpcode.RDMA_READ : plan.isWrite(op) ? WcOpcode.RDMA_WRITE : WcOpcode.SEND;
            sends.onCompletion(op, 0, opcode.code(), plan.lengthBytes(op));
        }
        CountsChecker.check(plan, sends, 4, true, "here", violations);
        CountsChecker.check(plan, sends, 3, false, "here", violations);
        assertThat(violations.texts()).isEmpty();
        CountsChecker.check(plan, sends, 3, true, "here", violations);
        assertCaught("4 messages posted, 3 received");
    }

    @Test
    void catchesMoreReceivedThanPosted() {
        final SendCompletionChecker sends = new SendCompletionChecker(plan, true, "here", violations);
        sends.onPosted(1);
        CountsChecker.check(plan, sends, 2, false, "here", violations);
        assertCaught("2 messages received, 1 posted");
    }

    @Test
    void catchesWhatIsNeverDone() {
        final LivenessChecker checker = new LivenessChecker(1_000_000, violations);
        long nowNs = Long.MAX_VALUE - 10;
        checker.onHealed(nowNs);
        nowNs += 999_999;
        assertThat(checker.isLate(nowNs)).isFalse();
        nowNs += 1;
        assertThat(checker.isLate(nowNs)).isTrue();
        checker.report("all", "op 3 has no completion");
        assertCaught("1 ms after the last fault ended: op 3 has no completion");
    }

    @Test
    void catchesWhatCannotBeClosed() {
        final StringBuilder closed = new StringBuilder();
        final LeakChecker checker = new LeakChecker("here", violations);
        checker.opened(() -> closed.append('a'));
        checker.opened(() -> closed.append('b'));
        final AutoCloseable early = checker.opened(() -> closed.append('c'));
        checker.closeNow(early);
        checker.closeAll();
        assertThat(closed.toString()).isEqualTo("cba");
        assertThat(violations.texts()).isEmpty();
        checker.opened(() -> {
            throw new VerbsException("closeDevice", Errno.EBUSY, "soft0", "qp 5 is still open");
        });
        checker.closeAll();
        assertCaught("qp 5 is still open");
    }

    @Test
    void contentIsTheSameWhereverItIsLookedAt() {
        for (int length = 0; length < 70; length++) {
            Content.fill(buffer, length, 99);
            for (int from = 0; from <= length; from++) {
                assertThat(Content.mismatch(buffer, from, length, 99)).isEqualTo(-1);
                if (from < length) {
                    assertThat(Content.mismatch(buffer, from, length, 98)).isBetween(from, length);
                    assertThat(Content.byteAt(99, from)).isEqualTo(NativeMemory.getByte(buffer + from));
                }
            }
        }
        assertThat(Content.key(1, 2)).isNotEqualTo(Content.key(2, 1));
    }
}
