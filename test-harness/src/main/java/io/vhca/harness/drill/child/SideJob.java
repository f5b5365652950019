package io.vhca.harness.drill.child;

import io.vhca.harness.drill.protocol.SideTraffic;

/** The sender's part of {@link SideTraffic}, in a thread of its own. */
public abstract class SideJob {
    /** What a verdict begins with that is none to be happy with. */
    public static final String WRONG = "WRONG: ";

    private volatile boolean stopping;
    private String verdict = "";

    /** One round: posts what may be posted, takes what came; true when there was anything. */
    abstract boolean doWork();

    /** The longest outage of any of its queue pairs so far. */
    abstract long longestOutageNs();

    /** Begins nothing new. Any thread. */
    final void stop() {
        stopping = true;
    }

    final boolean isStopping() {
        return stopping;
    }

    /** Everything is done and compared: a sentence without full stop; after {@link #WRONG}, what is not right. */
    final void finish(final String last) {
        verdict = last;
    }

    /** After {@link #stop}: everything is done and compared. */
    final boolean isFinished() {
        return !verdict.isEmpty();
    }

    /** What {@link #finish} was told; empty before that. */
    final String verdict() {
        return verdict;
    }
}
