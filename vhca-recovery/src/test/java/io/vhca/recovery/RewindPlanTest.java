package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.ReceiverCounts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every log of up to six WRs, every legal set of cursors, every count, against a model that judges each WR by itself;
 * atomics, which the hardware executes and no mark follows, are in logs of up to five.
 */
class RewindPlanTest {
    private static final int MAX_WRS = 6;

    private enum Op {
        SEND,
        WRITE,
        READ,
        WRITE_IMM,
        ATOMIC;

        boolean answered() {
            return this == READ || this == ATOMIC;
        }

        boolean message() {
            return this == SEND || this == WRITE_IMM;
        }
    }

    /**
     * Sequences start at a base with messages before it, as in the middle of a vQP's life. Behind every WRITE stood a
     * mark.
     */
    private record Log(Op[] ops, int consumer, int hardware, int posted, long base,
            long baseMessages, long ledger) implements SendLog {
        @Override
        public long consumerSeq() {
            return base + consumer;
        }

        @Override
        public long hwCompletedSeq() {
            return base + hardware;
        }

        @Override
        public long postedSeq() {
            return base + posted;
        }

        @Override
        public long producerSeq() {
            return base + ops.length;
        }

        @Override
        public long completedMessages() {
            return messagesBefore(consumer);
        }

        @Override
        public boolean consumesReceive(final long seq) {
            assertThat(seq).isBetween(consumerSeq(), producerSeq() - 1);
            return ops[(int) (seq - base)].message();
        }

        @Override
        public boolean needsResponse(final long seq) {
            assertThat(seq).isBetween(consumerSeq(), producerSeq() - 1);
            return ops[(int) (seq - base)].answered();
        }

        @Override
        public boolean isAtomic(final long seq) {
            assertThat(seq).isBetween(consumerSeq(), producerSeq() - 1);
            return ops[(int) (seq - base)] == Op.ATOMIC;
        }

        @Override
        public boolean isMarked(final long seq) {
            return ops[(int) (seq - base)] == Op.WRITE;
        }

        long messagesBefore(final int index) {
            long messages = baseMessages;
            for (int i = 0; i < index; i++) {
                messages += ops[i].message() ? 1 : 0;
            }
            return messages;
        }

        /** The peer consumed a message at or behind this WR: RC has executed it. */
        boolean executedByOrder(final int index, final long received) {
            if (base + index < ledger) {
                return true;
            }
            for (int i = Math.max(index, consumer); i < ops.length; i++) {
                if (ops[i].message() && messagesBefore(i + 1) <= received) {
                    return true;
                }
            }
            return false;
        }

        /** The hardware's word for a WR, unless it vouched for a message that the peer does not have. */
        boolean believed(final int index, final long received) {
            return index < hardware
                    && (messagesBefore(hardware) <= received
                            || executedByOrder(index, received)
                            || answeredBehindTheLastExecuted(index, received));
        }

        private boolean answeredBehindTheLastExecuted(final int index, final long received) {
            int i = index;
            while (i >= consumer && !executedByOrder(i, received) && ops[i].answered()) {
                i--;
            }
            return i < consumer || executedByOrder(i, received);
        }

        /** Nothing before the WR that it would have left behind is missing. */
        boolean mayBeExecuted(final int index, final long received) {
            for (int i = consumer; i < index; i++) {
                if (!executedByOrder(i, received) && (ops[i].message() || ops[i] == Op.WRITE)) {
                    return false;
                }
            }
            return !ops[index].message();
        }
    }

    private long cases;

    @Test
    void everySmallLogAgreesWithTheModel() {
        for (int size = 0; size <= MAX_WRS; size++) {
            final int kinds = size == MAX_WRS ? Op.ATOMIC.ordinal() : Op.values().length;
            final int combinations = (int) Math.pow(kinds, size);
            for (int code = 0; code < combinations; code++) {
                final Op[] ops = new Op[size];
                int rest = code;
                for (int i = 0; i < size; i++) {
                    ops[i] = Op.values()[rest % kinds];
                    rest /= kinds;
                }
                everyCursor(ops);
            }
        }
        assertThat(cases).as("cases enumerated").isGreaterThan(1_000_000);
    }

    private void everyCursor(final Op[] ops) {
        for (int posted = 0; posted <= ops.length; posted++) {
            for (int hardware = 0; hardware <= posted; hardware++) {
                for (int consumer = 0; consumer <= hardware; consumer++) {
                    for (int marked = -1; marked <= posted + 1; marked += ops.length > 4 ? 3 : 1) {
                        final long ledger = marked < 0 ? 0 : (1L << 40) + marked;
                        final Log log = new Log(ops, consumer, hardware, posted, 1L << 40, 77, ledger);
                        for (long received = 76; received <= log.messagesBefore(ops.length) + 1; received++) {
                            check(log, received);
                        }
                    }
                }
            }
        }
    }

    private void check(final Log log, final long received) {
        cases++;
        final RewindPlan plan = RewindPlan.of(log, new ReceiverCounts(received, log.ledger), WriteReplay.REPLAY);
        final boolean impossible =
                received > log.messagesBefore(log.posted) || log.ledger > log.base + log.posted;
        final boolean lost = received < log.messagesBefore(log.consumer);
        final BondError error = lost ? BondError.COMMITTED_DATA_LOST
                : impossible ? BondError.PROTOCOL_VIOLATION : firstUnrepeatable(log, received, false);
        if (plan.error() != error) {
            throw new AssertionError("error is " + plan.error() + ", not " + error + ": " + describe(log, received));
        }
        if (lost || impossible) {
            expect(plan.resumeAt() == log.consumerSeq()
                    && plan.completeUpTo() == log.consumerSeq(), "moved", log, received);
            return;
        }
        int resume = log.consumer;
        while (resume < log.posted && done(log, resume, received)) {
            resume++;
        }
        expect(plan.completeUpTo() - log.base == resume, "completeUpTo " + (plan.completeUpTo() - log.base), log,
                received);
        expect(plan.resumeAt() - log.base == resume, "resumeAt " + (plan.resumeAt() - log.base), log, received);
        int replayed = 0;
        int negotiated = 0;
        for (int i = log.consumer; i < log.posted; i++) {
            final boolean executed = log.executedByOrder(i, received) || log.believed(i, received);
            final boolean again = !executed || !done(log, i, received);
            final boolean given = i >= resume && !plan.placeholder(log, log.base + i);
            expect(given == again, "WR " + i + (given ? " would run again" : " would be lost"), log, received);
            replayed += again ? 1 : 0;
            negotiated += !again && !log.believed(i, received) ? 1 : 0;
        }
        expect(plan.replayed() == (error == null ? replayed : 0), "replayed " + plan.replayed(), log, received);
        expect(plan.negotiated() == negotiated, "negotiated " + plan.negotiated(), log, received);
        checkDoubt(log, received, plan);
        for (int i = log.posted; i < log.ops.length; i++) {
            expect(!plan.placeholder(log, log.base + i), "never posted, yet a placeholder: " + i, log, received);
        }
    }

    /** Nothing that may have been executed is taken for not executed; at most one WRITE, as each has a mark. */
    private static void checkDoubt(final Log log, final long received, final RewindPlan plan) {
        for (int i = log.consumer; i < log.posted; i++) {
            final boolean known = log.executedByOrder(i, received) || log.believed(i, received);
            final boolean doubtful = !known && log.mayBeExecuted(i, received);
            final boolean planned = log.base + i >= plan.committedUpTo() && log.base + i < plan.doubtfulUpTo();
            expect(planned || !doubtful, "WR " + i + " is taken for not executed", log, received);
        }
        int inDoubt = 0;
        for (long seq = plan.committedUpTo(); seq < plan.doubtfulUpTo(); seq++) {
            inDoubt += log.writesMemory(seq) ? 1 : 0;
        }
        expect(inDoubt <= 1, inDoubt + " in doubt", log, received);
        final RewindPlan strict = RewindPlan.of(log, new ReceiverCounts(received, log.ledger), WriteReplay.FAIL);
        expect(strict.error() == firstUnrepeatable(log, received, true), "strict: " + strict.error(), log, received);
    }

    /**
     * Why the first WR that would run again must not: an atomic that was executed and whose answer is not here, or an
     * atomic, and with write_replay = fail a WRITE, of which nobody knows; null where all may.
     */
    private static @Nullable BondError firstUnrepeatable(final Log log, final long received, final boolean isStrict) {
        boolean open = true;
        for (int i = log.consumer; i < log.posted; i++) {
            open &= done(log, i, received);
            final boolean known = log.executedByOrder(i, received) || log.believed(i, received);
            final boolean doubtful = !known && log.mayBeExecuted(i, received);
            if (!open && log.ops[i] == Op.ATOMIC) {
                if (log.executedByOrder(i, received)) {
                    return BondError.ATOMIC_RESULT_LOST;
                }
                if (doubtful || i < log.hardware) {
                    return BondError.ATOMIC_IN_DOUBT;
                }
            }
            if (isStrict && doubtful && log.ops[i] == Op.WRITE) {
                return BondError.WRITE_IN_DOUBT;
            }
        }
        return null;
    }

    private static boolean done(final Log log, final int index, final long received) {
        return log.believed(index, received) || log.executedByOrder(index, received) && !log.ops[index].answered();
    }

    private static void expect(final boolean holds, final String what, final Log log, final long received) {
        if (!holds) {
            throw new AssertionError(what + ": " + describe(log, received));
        }
    }

    private static String describe(final Log log, final long received) {
        return Arrays.toString(log.ops) + " consumer " + log.consumer + " hardware " + log.hardware + " posted "
                + log.posted
                + " received " + (received - log.baseMessages)
                + " ledger " + (log.ledger == 0 ? "none" : log.ledger - log.base);
    }

    private static RewindPlan plan(final SendLog log, final long received, final long ledger) {
        return RewindPlan.of(log, new ReceiverCounts(received, ledger), WriteReplay.REPLAY);
    }

    @Test
    void aReadWhoseDataIsMissingRunsAgainAndTheSendBehindItDoesNot() {
        final Op[] ops = {Op.READ, Op.SEND, Op.WRITE};
        final Log log = new Log(ops, 0, 0, 3, 0, 0, 0);
        final RewindPlan plan = plan(log, 1, 0);
        assertThat(plan).isEqualTo(new RewindPlan(null, 0, 0, 2, 3, 1, 2));
        assertThat(plan.placeholder(log, 0)).isFalse();
        assertThat(plan.placeholder(log, 1)).isTrue();
        assertThat(plan.placeholder(log, 2)).isFalse();
    }

    @Test
    void anAckedMessageThatThePeerNeverGotIsSentAgain() {
        final Op[] ops = {Op.SEND, Op.WRITE, Op.SEND};
        assertThat(plan(new Log(ops, 0, 3, 3, 0, 0, 0), 1, 0)).isEqualTo(new RewindPlan(null, 1, 1, 1, 2, 0, 2));
        assertThat(plan(new Log(ops, 3, 3, 3, 0, 0, 0), 1, 0).error()).isEqualTo(BondError.COMMITTED_DATA_LOST);
    }

    /** A READ that runs again carries a mark that is less than the one found before: what was known stays known. */
    @Test
    void whatTheRecoveryBeforeKnewIsKnownThoughTheLedgerWentBack() {
        final Log log = new Log(new Op[] {Op.READ, Op.WRITE, Op.WRITE}, 0, 0, 3, 0, 0, 0);
        final SendLog later = new SendLog() {
            @Override
            public long consumerSeq() {
                return log.consumerSeq();
            }

            @Override
            public long hwCompletedSeq() {
                return log.hwCompletedSeq();
            }

            @Override
            public long postedSeq() {
                return log.postedSeq();
            }

            @Override
            public long producerSeq() {
                return log.producerSeq();
            }

            @Override
            public long completedMessages() {
                return log.completedMessages();
            }

            @Override
            public boolean consumesReceive(final long seq) {
                return log.consumesReceive(seq);
            }

            @Override
            public boolean needsResponse(final long seq) {
                return log.needsResponse(seq);
            }

            @Override
            public long committedUpTo() {
                return 3;
            }
        };
        for (final WriteReplay writes : WriteReplay.values()) {
            final RewindPlan plan = RewindPlan.of(later, new ReceiverCounts(0, 1), writes);
            assertThat(plan).isEqualTo(new RewindPlan(null, 0, 0, 3, 3, 2, 1));
            assertThat(plan.placeholder(later, 1)).isTrue();
            assertThat(plan.placeholder(later, 2)).isTrue();
        }
    }

    /** An atomic, a WRITE before and behind it, no marks; all given to hardware. */
    private static final class AtomicLog implements SendLog {
        private final int atomic;
        private final int hardware;
        private final long doubtfulUpTo;
        private final long given;
        private final boolean trusts;

        AtomicLog(final int atomic, final int hardware, final long doubtfulUpTo, final long given,
                final boolean trusts) {
            this.atomic = atomic;
            this.hardware = hardware;
            this.doubtfulUpTo = doubtfulUpTo;
            this.given = given;
            this.trusts = trusts;
        }

        @Override
        public long consumerSeq() {
            return 0;
        }

        @Override
        public long hwCompletedSeq() {
            return hardware;
        }

        @Override
        public long postedSeq() {
            return 4;
        }

        @Override
        public long producerSeq() {
            return 4;
        }

        @Override
        public long completedMessages() {
            return 0;
        }

        @Override
        public boolean consumesReceive(final long seq) {
            return seq == 2;
        }

        @Override
        public boolean needsResponse(final long seq) {
            return seq == atomic;
        }

        @Override
        public boolean isAtomic(final long seq) {
            return seq == atomic;
        }

        @Override
        public long givenSeq() {
            return given;
        }

        @Override
        public long doubtfulUpTo() {
            return doubtfulUpTo;
        }

        @Override
        public boolean trustsHardware() {
            return trusts;
        }
    }

    @Test
    void anAtomicIsPostedAgainOnlyWhenItIsKnownNotToHaveRun() {
        assertThat(plan(new AtomicLog(0, 0, 0, 4, true), 0, 0).error()).isEqualTo(BondError.ATOMIC_IN_DOUBT);
        assertThat(plan(new AtomicLog(0, 0, 0, 4, true), 1, 0).error()).isEqualTo(BondError.ATOMIC_RESULT_LOST);
        assertThat(plan(new AtomicLog(0, 0, 0, 4, true), 0, 1).error()).isEqualTo(BondError.ATOMIC_RESULT_LOST);
        assertThat(plan(new AtomicLog(0, 1, 0, 4, true), 1, 0).error()).as("its result is here").isNull();
        assertThat(plan(new AtomicLog(1, 0, 0, 4, true), 0, 1).error()).isEqualTo(BondError.ATOMIC_IN_DOUBT);
        assertThat(plan(new AtomicLog(3, 0, 0, 4, true), 0, 0).error()).as("behind a message not received").isNull();
        assertThat(plan(new AtomicLog(3, 0, 0, 4, true), 1, 0).error()).isEqualTo(BondError.ATOMIC_IN_DOUBT);
    }

    @Test
    void whatWasInDoubtOnceStaysSoThoughTheNextHardwareWasGivenNothing() {
        assertThat(plan(new AtomicLog(1, 0, 0, 0, true), 0, 0).error()).as("never given").isNull();
        assertThat(plan(new AtomicLog(1, 0, 2, 0, true), 0, 0).error()).isEqualTo(BondError.ATOMIC_IN_DOUBT);
        assertThat(plan(new AtomicLog(1, 0, 2, 0, true), 0, 2).error()).isEqualTo(BondError.ATOMIC_RESULT_LOST);
    }

    @Test
    void withConfirmedCompletionsThePeersWordAloneCounts() {
        assertThat(plan(new AtomicLog(9, 2, 0, 4, true), 0, 0).resumeAt()).isEqualTo(2);
        assertThat(plan(new AtomicLog(9, 2, 0, 4, false), 0, 0).resumeAt()).isZero();
        assertThat(plan(new AtomicLog(9, 2, 0, 4, false), 0, 1).resumeAt()).isEqualTo(1);
    }
}
