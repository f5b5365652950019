package io.vhca.recovery;

import io.vhca.recovery.wire.ReceiverCounts;
import org.jspecify.annotations.Nullable;

/**
 * Which of a vQP's unfinished sends complete and which are posted again, once the peer's counts are known. It depends
 * on the log and the counts alone.
 *
 * <p>RC executes in order, so everything posted before the last message that the peer consumed was executed, and so was
 * everything before the last ledger mark that it found ({@link #committedUpTo}). The first message that it did not
 * consume, and the first mark that it did not find, prove that nothing behind was executed ({@link #doubtfulUpTo}). The
 * peer's counts are believed before the hardware's completions: an HCA may ack before it places, so where the hardware
 * acked a message that the peer did not get, nothing after the last message it did get counts as done, acked or not. A
 * READ that was executed but whose data did not arrive runs again; the committed WRs behind it must not run again: they
 * are placeholders.
 *
 * <pre>
 *   consumer      completeUpTo = resumeAt        committedUpTo    doubtfulUpTo      posted         producer
 *   |  completed now  |  READ again, others: placeholder  |  in doubt  |  posted again  |  posted first  |
 * </pre>
 * A placeholder keeps its slot, order and completion, and does nothing at the peer: post a zero-length RDMA WRITE in
 * its place. Without READs in doubt, resumeAt = committedUpTo and there is none.
 *
 * @param error null, or why the vQP must fail; then nothing is posted again, and what lies before completeUpTo still
 * completes with success
 * @param completeUpTo every WR before it gets its success completion now (exclusive)
 * @param resumeAt the first WR to give to hardware again; always completeUpTo
 * @param committedUpTo every WR before it was executed by the peer; none may be executed again but those that need a
 * response (exclusive)
 * @param doubtfulUpTo WRs from committedUpTo up to here may have been executed, those behind have not been (exclusive)
 * @param negotiated WRs known done by the peer's word alone, not by hardware
 * @param replayed WRs given to hardware before that are executed again
 */
public record RewindPlan(
        @Nullable BondError error,
        long completeUpTo,
        long resumeAt,
        long committedUpTo,
        long doubtfulUpTo,
        int negotiated,
        int replayed) {

    /** Whether a WR at or after {@link #resumeAt} is to be posted as a placeholder. */
    public boolean placeholder(final SendLog log, final long seq) {
        return seq < committedUpTo && !log.needsResponse(seq);
    }

    /** What becomes of a WR where the vQP does not fail; consumerSeq &lt;= seq &lt; producerSeq. */
    public WrFate fate(final SendLog log, final long seq) {
        if (seq < completeUpTo) {
            return WrFate.HAND_OUT;
        }
        if (placeholder(log, seq)) {
            return WrFate.PLACEHOLDER;
        }
        return seq < log.postedSeq() ? WrFate.REPLAY : WrFate.FIRST;
    }

    /**
     * Judges a log.
     *
     * @param log with hwCompletedSeq as the drain left it
     * @param peer what the peer's bond says; frozen after its fence where something is to be posted again
     * @param writes what to do about a WRITE in doubt
     */
    public static RewindPlan of(final SendLog log, final ReceiverCounts peer, final WriteReplay writes) {
        assert log.consumerSeq() <= log.hwCompletedSeq() && log.hwCompletedSeq() <= log.postedSeq()
                && log.postedSeq() <= log.producerSeq() : "cursors " + cursors(log);
        assert log.committedUpTo() <= log.postedSeq() && log.givenSeq() <= log.postedSeq() : "cursors " + cursors(log);
        final RewindPlan plan = decide(log, peer, writes);
        assert plan.isOrdered(log) : plan + " of cursors " + cursors(log);
        return plan;
    }

    private boolean isOrdered(final SendLog log) {
        return log.consumerSeq() <= resumeAt && completeUpTo == resumeAt && resumeAt <= committedUpTo
                && committedUpTo <= doubtfulUpTo && doubtfulUpTo <= log.postedSeq()
                && negotiated >= 0 && replayed >= 0;
    }

    private static String cursors(final SendLog log) {
        return log.consumerSeq() + " " + log.hwCompletedSeq() + " " + log.postedSeq() + " " + log.producerSeq()
                + ", given " + log.givenSeq() + ", committed " + log.committedUpTo();
    }

    private static RewindPlan decide(final SendLog log, final ReceiverCounts peer, final WriteReplay writes) {
        final long consumer = log.consumerSeq();
        final long hardware = log.hwCompletedSeq();
        final long posted = log.postedSeq();
        final long received = peer.received();
        final long known = log.completedMessages();
        if (received < known) {
            return failed(BondError.COMMITTED_DATA_LOST, consumer);
        }
        long messages = known;
        long committed = Math.max(consumer, Math.max(log.committedUpTo(), peer.ledger()));
        long ackedMessages = known;
        for (long seq = consumer; seq < posted; seq++) {
            if (log.consumesReceive(seq)) {
                messages++;
                if (messages <= received) {
                    committed = Math.max(committed, seq + 1);
                }
                if (seq < hardware) {
                    ackedMessages = messages;
                }
            }
        }
        if (received > messages || peer.ledger() > posted) {
            return failed(BondError.PROTOCOL_VIOLATION, consumer);
        }
        final long trusted = ackedMessages <= received && log.trustsHardware()
                ? hardware
                : trustedResponses(log, Math.min(hardware, committed), hardware);
        final long doubtful = Math.max(Math.max(committed, trusted), Math.min(posted, Math.max(
                log.doubtfulUpTo(), firstNotExecuted(log, committed))));
        return judge(log, resume(log, trusted, Math.max(committed, trusted), doubtful), trusted, writes);
    }

    /** The hardware's word counts where it brought the answer along. */
    private static long trustedResponses(final SendLog log, final long from, final long hardware) {
        long trusted = from;
        while (trusted < hardware && log.needsResponse(trusted)) {
            trusted++;
        }
        return trusted;
    }

    /** Where, seen from the last WR known executed, the first proof stands that the peer did not get any further. */
    private static long firstNotExecuted(final SendLog log, final long committed) {
        final long given = log.givenSeq();
        for (long seq = committed; seq < given; seq++) {
            if (log.consumesReceive(seq)) {
                return seq;
            }
            if (log.isMarked(seq)) {
                return seq + 1;
            }
        }
        return given;
    }

    private static RewindPlan resume(
            final SendLog log, final long trusted, final long committed, final long doubtful) {
        long resume = Math.max(log.consumerSeq(), trusted);
        int negotiated = 0;
        int replayed = 0;
        boolean open = true;
        for (long seq = resume; seq < committed; seq++) {
            if (log.needsResponse(seq)) {
                open = false;
                replayed++;
            } else {
                negotiated++;
            }
            if (open) {
                resume = seq + 1;
            }
        }
        replayed += (int) (log.postedSeq() - committed);
        return new RewindPlan(null, resume, resume, committed, doubtful, negotiated, replayed);
    }

    /** Fails the plan where it would run again what must not run twice. */
    private static RewindPlan judge(
            final SendLog log, final RewindPlan plan, final long trusted, final WriteReplay writes) {
        final long end = Math.max(plan.doubtfulUpTo, Math.min(log.hwCompletedSeq(), log.postedSeq()));
        for (long seq = plan.resumeAt; seq < end; seq++) {
            if (log.isAtomic(seq) && seq >= trusted) {
                return plan.failing(
                        seq < plan.committedUpTo ? BondError.ATOMIC_RESULT_LOST : BondError.ATOMIC_IN_DOUBT);
            }
            if (writes == WriteReplay.FAIL && log.writesMemory(seq) && seq >= plan.committedUpTo
                    && seq < plan.doubtfulUpTo) {
                return plan.failing(BondError.WRITE_IN_DOUBT);
            }
        }
        return plan;
    }

    private RewindPlan failing(final BondError why) {
        return new RewindPlan(why, completeUpTo, resumeAt, committedUpTo, doubtfulUpTo, negotiated, 0);
    }

    private static RewindPlan failed(final BondError error, final long consumer) {
        return new RewindPlan(error, consumer, consumer, consumer, consumer, 0, 0);
    }
}
