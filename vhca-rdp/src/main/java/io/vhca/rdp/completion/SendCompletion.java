package io.vhca.rdp.completion;

/** What became of a send in place; filled by a poll, so that it need not allocate. One thread at a time. */
public final class SendCompletion {
    private long token;
    private boolean isLost;

    /** What the sender gave with it. */
    public long token() {
        return token;
    }

    /** Its path was lost before it was confirmed: it may have been delivered or not. */
    public boolean isLost() {
        return isLost;
    }

    void set(final long of, final boolean wasLost) {
        token = of;
        isLost = wasLost;
    }
}
