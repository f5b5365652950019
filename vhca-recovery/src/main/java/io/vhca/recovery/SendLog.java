package io.vhca.recovery;

/**
 * A read-only view of a vQP's send queue, for {@link RewindPlan}. Sequences are 64-bit, grow by one per WR and never
 * wrap.
 *
 * <pre>
 *   told to the app      known by hardware      given to hardware      posted by the app
 *   [0 .. consumerSeq)   [.. hwCompletedSeq)    [.. postedSeq)         [.. producerSeq)
 *        consumerSeq  &lt;=  hwCompletedSeq   &lt;=   postedSeq       &lt;=    producerSeq
 * </pre>
 * All cursors are exclusive: the sequence of the first WR that has not got that far.
 */
public interface SendLog {
    /** First WR not completed to the application. */
    long consumerSeq();

    /**
     * First WR that no hardware completion (the drain's included) covers. After a rewind at most its {@link
     * RewindPlan#resumeAt}.
     */
    long hwCompletedSeq();

    /** First WR that was NEVER given to any hardware; a rewind does not set it back. */
    long postedSeq();

    /** First WR not posted by the application. */
    long producerSeq();

    /** Receive-consuming WRs among [0, consumerSeq): the messages that the application was told are done. */
    long completedMessages();

    /**
     * Whether the WR consumes a receive at the peer (SEND*, WRITE_WITH_IMM); consumerSeq &lt;= seq &lt; producerSeq.
     */
    boolean consumesReceive(long seq);

    /**
     * Whether the WR brings data back (READ, atomics), so that only a local completion proves it done; consumerSeq
     * &lt;= seq &lt; producerSeq.
     */
    boolean needsResponse(long seq);

    /**
     * First WR that was not given to the hardware in use before the present failure; WRs at or after it may still have
     * been given to an earlier one.
     */
    default long givenSeq() {
        return postedSeq();
    }

    /** Whether the WR changes the peer's memory and consumes no receive; consumerSeq &lt;= seq &lt; producerSeq. */
    default boolean writesMemory(final long seq) {
        return !consumesReceive(seq) && !needsResponse(seq);
    }

    /** Whether the WR is an atomic, executed by the peer's hardware; consumerSeq &lt;= seq &lt; producerSeq. */
    default boolean isAtomic(final long seq) {
        return false;
    }

    /**
     * Whether a ledger mark followed the WR when it was given to the hardware in use; consumerSeq &lt;= seq &lt;
     * producerSeq.
     */
    default boolean isMarked(final long seq) {
        return false;
    }

    /**
     * The {@link RewindPlan#committedUpTo} of the recovery before: what the peer has executed it has executed. Marks of
     * requests that were posted again since, as placeholders or to bring their answer, have set its word back.
     */
    default long committedUpTo() {
        return 0;
    }

    /** The {@link RewindPlan#doubtfulUpTo} of the recovery before: what was in doubt stays so until it is known. */
    default long doubtfulUpTo() {
        return 0;
    }

    /** False where the hardware's word for a WR that brings nothing back does not count (confirm = peer). */
    default boolean trustsHardware() {
        return true;
    }
}
