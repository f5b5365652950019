package io.vhca.recovery;

import io.vhca.recovery.wire.ReceiverCounts;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a recovery would do with each unfinished send, as far as that is known before the peer's counts are: the two
 * {@link RewindPlan}s for a peer that got nothing but what it must have, and for one that got everything. What both do
 * is certain; between them the peer decides. Valid as long as the log does not change.
 */
public final class RewindOutlook {
    private final SendLog log;
    private final RewindPlan least;
    private final RewindPlan most;

    private RewindOutlook(final SendLog log, final RewindPlan least, final RewindPlan most) {
        this.log = log;
        this.least = least;
        this.most = most;
    }

    /** The outlook of a log, with hwCompletedSeq as far as completions were polled. */
    public static RewindOutlook of(final SendLog log, final WriteReplay writes) {
        long messages = log.completedMessages();
        final long known = messages;
        for (long seq = log.consumerSeq(); seq < log.postedSeq(); seq++) {
            if (log.consumesReceive(seq)) {
                messages++;
            }
        }
        return new RewindOutlook(
                log,
                RewindPlan.of(log, new ReceiverCounts(known, 0), writes),
                RewindPlan.of(log, new ReceiverCounts(messages, log.postedSeq()), writes));
    }

    /** The same in words for people, by sequence; none of a log whose requests were flushed away from hardware. */
    public static LongFunction<String> words(final SendLog log, final WriteReplay writes) {
        if (log.hwCompletedSeq() > log.postedSeq()) {
            return seq -> "";
        }
        final RewindOutlook outlook = of(log, writes);
        final BondError error = outlook.worst();
        final String worst = error == null ? "" : ", or fail: " + error;
        return seq -> ", recovery: " + outlook.fate(seq).text() + worst;
    }

    /** What becomes of a WR; consumerSeq &lt;= seq &lt; producerSeq. */
    public WrFate fate(final long seq) {
        final WrFate certain = least.fate(log, seq);
        return certain == most.fate(log, seq) ? certain : WrFate.DOUBTFUL;
    }

    /** Why the vQP would fail where the peer got nothing more; null where it would not. */
    public @Nullable BondError worst() {
        return least.error();
    }
}
