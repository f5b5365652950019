package io.vhca.harness.explore;

import io.vhca.recovery.BondError;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SendLog;
import io.vhca.recovery.WriteReplay;
import io.vhca.recovery.wire.ReceiverCounts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one end sends to the other: the sender's log, what is on its way over the receiver's connection, and what the
 * receiver has executed. It judges each execution and each success.
 */
final class Traffic implements SendLog {
    private static final int CURSOR_BITS = 2;
    private static final int CURSOR_MASK = (1 << CURSOR_BITS) - 1;
    private static final int MOST = 3;

    private final List<Operation> operations;
    private final String name;
    private final PlantedLie lie;
    private int producer;
    private int posted;
    private int everPosted;
    private int retired;
    private int completed;
    private int committed;
    private int doubtful;
    /** Requests before it were executed over the sender's connection: their completions may come. */
    private int answered;
    // At the receiver: requests [next, end) are on the way; those before the third are placeholders where they may be.
    private int wireNext;
    private int wireEnd;
    private int wirePlaceholders;
    private int executed; // bits by request
    private boolean hasLied;

    Traffic(final String name, final List<Operation> operations, final PlantedLie lie) {
        this.name = name;
        this.operations = operations;
        this.lie = lie;
    }

    // ---- as part of a state -----------------------------------------------------------------------------------------

    int pack() {
        int bits = 0;
        bits = bits << CURSOR_BITS | producer;
        bits = bits << CURSOR_BITS | posted;
        bits = bits << CURSOR_BITS | everPosted;
        bits = bits << CURSOR_BITS | retired;
        bits = bits << CURSOR_BITS | completed;
        bits = bits << CURSOR_BITS | committed;
        bits = bits << CURSOR_BITS | doubtful;
        bits = bits << CURSOR_BITS | answered;
        bits = bits << CURSOR_BITS | wireNext;
        bits = bits << CURSOR_BITS | wireEnd;
        bits = bits << CURSOR_BITS | wirePlaceholders;
        bits = bits << MOST | executed;
        return bits << 1 | (hasLied ? 1 : 0);
    }

    void unpack(final int packed) {
        int bits = packed;
        hasLied = (bits & 1) != 0;
        bits >>>= 1;
        executed = bits & (1 << MOST) - 1;
        bits >>>= MOST;
        wirePlaceholders = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        wireEnd = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        wireNext = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        answered = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        doubtful = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        committed = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        completed = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        retired = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        everPosted = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        posted = bits & CURSOR_MASK;
        bits >>>= CURSOR_BITS;
        producer = bits & CURSOR_MASK;
    }

    // ---- the sender -------------------------------------------------------------------------------------------------

    boolean canPost() {
        return producer < operations.size();
    }

    void post() {
        producer++;
    }

    /** Gives the hardware what waits. @param arrives whether the receiver's queue pair is at the other end */
    void pump(final boolean arrives) {
        if (arrives && posted < producer) {
            if (wireNext == wireEnd) {
                wireNext = posted;
                wirePlaceholders = committed;
            }
            wireEnd = producer;
        }
        posted = producer;
        everPosted = Math.max(everPosted, posted);
    }

    boolean canComplete() {
        return answered > completed;
    }

    /** The completions of all that was executed come, and the application polls them. */
    void complete() {
        completed = answered;
        retireTo(completed);
    }

    /** The queue pair is gone. @param all whether the drain found what could be found */
    void drained(final boolean all) {
        if (all) {
            completed = Math.max(completed, answered);
        }
        answered = 0;
    }

    private void retireTo(final int end) {
        Violation.unless(end >= retired, "completions of " + name + " go back from " + retired + " to " + end);
        for (; retired < end; retired++) {
            Violation.unless(
                    isExecuted(retired),
                    name + "'s request " + retired + " completes with success and was never executed");
        }
    }

    /** Everything that hardware completed is handed out: the queue pair is over. */
    void flush() {
        retireTo(Math.max(retired, completed));
    }

    @Nullable BondError apply(final ReceiverCounts counts) {
        final RewindPlan plan = RewindPlan.of(this, counts, WriteReplay.REPLAY);
        final BondError error = plan.error();
        if (error == BondError.COMMITTED_DATA_LOST || error == BondError.PROTOCOL_VIOLATION) {
            return error;
        }
        int done = (int) plan.completeUpTo();
        if (lie == PlantedLie.COMPLETES_TOO_MUCH && done < everPosted) {
            done++;
        }
        retireTo(done);
        posted = (int) plan.resumeAt();
        if (lie == PlantedLie.REPLAY_TOO_LATE && posted < everPosted) {
            posted++;
        }
        completed = (int) plan.resumeAt();
        committed = (int) plan.committedUpTo();
        if (lie == PlantedLie.REPLAY_TOO_EARLY && posted > 0) {
            posted--;
            committed = posted;
        }
        doubtful = (int) plan.doubtfulUpTo();
        return error;
    }

    // ---- the receiver -----------------------------------------------------------------------------------------------

    /** Messages received since the virtual queue pair was born. */
    int received() {
        int count = 0;
        for (int i = 0; i < operations.size(); i++) {
            count += isExecuted(i) && operations.get(i).isMessage() ? 1 : 0;
        }
        return count;
    }

    private boolean isExecuted(final int request) {
        return (executed >>> request & 1) != 0;
    }

    boolean isOnTheWay() {
        return wireNext < wireEnd;
    }

    /** The receiver's queue pair takes nothing more. */
    void cut() {
        wireNext = 0;
        wireEnd = 0;
        wirePlaceholders = 0;
    }

    /** The next request arrives and is executed. @param connected whether the sender may still hear of it */
    void execute(final boolean connected) {
        final int request = wireNext++;
        final Operation operation = operations.get(request);
        if (request >= wirePlaceholders || operation.needsResponse()) {
            judge(request, operation);
            executed |= 1 << request;
        }
        if (connected) {
            answered = Math.max(answered, request + 1);
        }
    }

    private void judge(final int request, final Operation operation) {
        final int before = (1 << request) - 1;
        Violation.unless(
                (executed & before) == before,
                name + "'s request " + request + " is executed before another one that was sent earlier");
        switch (operation) {
            case SEND, ATOMIC -> Violation.unless(!isExecuted(request), name + "'s request " + request + ", "
                    + operation + ", is executed twice");
            case WRITE -> {
                for (int i = request + 1; i < operations.size(); i++) {
                    Violation.unless(!isExecuted(i) || !operations.get(i).isMessage(), name + "'s WRITE " + request
                            + " is written again after the message " + i + " was received");
                }
            }
            case READ -> {
                // May run again at any time.
            }
        }
    }

    /** Whether the next request on the way may be acknowledged and then lost. */
    boolean canLie() {
        return isOnTheWay() && wireNext == completed && operations.get(wireNext).isMessage();
    }

    /** The receiver's device acknowledges the next request and dies with it. */
    void lie() {
        hasLied = true;
        completed = wireNext + 1;
        retired = completed;
        answered = completed;
        cut();
    }

    boolean hasLied() {
        return hasLied;
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** All that was sent was executed and has completed. */
    boolean isDone() {
        return retired == operations.size() && executed == (1 << operations.size()) - 1;
    }

    /** No count of the one state is lower in the other. */
    void checkNotBefore(final int packed, final Traffic scratch) {
        scratch.unpack(packed);
        Violation.unless(
                producer >= scratch.producer && everPosted >= scratch.everPosted && retired >= scratch.retired
                        && (executed & scratch.executed) == scratch.executed,
                "a count of " + name + " goes back");
    }

    String describe() {
        return "posted " + producer + ", at the hardware " + posted + ", completed " + retired + ", executed "
                + Integer.bitCount(executed);
    }

    // ---- the log ----------------------------------------------------------------------------------------------------

    @Override
    public long consumerSeq() {
        return retired;
    }

    @Override
    public long hwCompletedSeq() {
        return completed;
    }

    @Override
    public long postedSeq() {
        return everPosted;
    }

    @Override
    public long producerSeq() {
        return producer;
    }

    @Override
    public long givenSeq() {
        return posted;
    }

    @Override
    public long committedUpTo() {
        return committed;
    }

    @Override
    public long doubtfulUpTo() {
        return doubtful;
    }

    @Override
    public long completedMessages() {
        int messages = 0;
        for (int i = 0; i < retired; i++) {
            messages += operations.get(i).isMessage() ? 1 : 0;
        }
        return messages;
    }

    @Override
    public boolean consumesReceive(final long seq) {
        return operations.get((int) seq).isMessage();
    }

    @Override
    public boolean needsResponse(final long seq) {
        return operations.get((int) seq).needsResponse();
    }

    @Override
    public boolean isAtomic(final long seq) {
        return operations.get((int) seq) == Operation.ATOMIC;
    }
}
