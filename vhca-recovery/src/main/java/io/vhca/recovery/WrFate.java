package io.vhca.recovery;

/** What becomes of a WR in a recovery. */
public enum WrFate {
    /** Its completion is handed out: the peer has executed it. */
    HAND_OUT("hand out"),
    /** The peer has executed it, and it keeps its place behind a READ that must be answered again. */
    PLACEHOLDER("placeholder"),
    /** It is posted again: the peer has not executed it, or may have, or its answer is missing. */
    REPLAY("replay"),
    /** No hardware had it yet: it is posted for the first time. */
    FIRST("post first"),
    /** The peer's counts say which of these. */
    DOUBTFUL("doubtful");

    private final String text;

    WrFate(final String text) {
        this.text = text;
    }

    /** As it is shown. */
    public String text() {
        return text;
    }
}
