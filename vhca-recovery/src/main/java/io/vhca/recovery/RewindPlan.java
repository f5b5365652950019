package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a vQP's unfinished sends once the peer's frozen count is known. A pure function of the log and the
 * count.
 *
 * <p>RC executes in order, so everything posted before the last message that the peer consumed was executed ({@link
 * #committedUpTo}). The peer's word wins over the hardware's: an HCA may ack before it places, so where the hardware
 * acked a message that the peer did not get, nothing after the last message it did get counts as done, acked or not. A
 * READ that was executed but whose data did not arrive runs again; the committed WRs behind it must not: they are
 * placeholders.
 *
 * <pre>
 *   consumer      completeUpTo = resumeAt        committedUpTo          posted         producer
 *   |  completed now  |  READ again, others: placeholder  |  posted again    |  posted first  |
 * </pre>
 * A placeholder keeps its slot, order and completion, and does nothing at the peer: post a zero-length RDMA WRITE in
 * its place. Without READs in doubt, resumeAt = committedUpTo and there is none.
 *
 * @param error null, or why the vQP must fail; then the cursors are the consumer's
 * @param completeUpTo every WR before it gets its success completion now (exclusive)
 * @param resumeAt the first WR to give to hardware again; always completeUpTo
 * @param committedUpTo every WR before it was executed by the peer; none may be executed again but those that need a
 * response (exclusive)
 * @param negotiated WRs known done by the peer's word alone, not by hardware
 * @param replayed WRs given to hardware before that are executed again
 */
public record RewindPlan(
        @Nullable BondError error, long completeUpTo, long resumeAt, long committedUpTo, int negotiated, int replayed) {

    /** Whether a WR at or after {@link #resumeAt} is to be posted as a placeholder. */
    public boolean placeholder(final SendLog log, final long seq) {
        return seq < committedUpTo && !log.needsResponse(seq);
    }

    /**
     * Judges a log.
     *
     * @param log with hwCompletedSeq as the drain left it
     * @param received messages that the peer consumed since the vQP was born, frozen after its fence
     */
    public static RewindPlan of(final SendLog log, final long received) {
        final long consumer = log.consumerSeq();
        final long hardware = log.hwCompletedSeq();
        final long posted = log.postedSeq();
        final long known = log.completedMessages();
        if (received < known) {
            return failed(BondError.COMMITTED_DATA_LOST, consumer);
        }
        long messages = known;
        long committed = consumer;
        long ackedMessages = known;
        for (long seq = consumer; seq < posted; seq++) {
            if (log.consumesReceive(seq)) {
                messages++;
                if (messages <= received) {
                    committed = seq + 1;
                }
                if (seq < hardware) {
                    ackedMessages = messages;
                }
            }
        }
        if (received > messages) {
            return failed(BondError.PROTOCOL_VIOLATION, consumer);
        }
        final long trusted = ackedMessages <= received ? hardware : Math.min(hardware, committed);
        return resume(log, consumer, trusted, Math.max(committed, trusted));
    }

    private static RewindPlan resume(final SendLog log, final long consumer, final long trusted, final long committed) {
        long resume = Math.max(consumer, trusted);
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
        return new RewindPlan(null, resume, resume, committed, negotiated, replayed);
    }

    private static RewindPlan failed(final BondError error, final long consumer) {
        return new RewindPlan(error, consumer, consumer, consumer, 0, 0);
    }
}
