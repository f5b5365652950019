package io.vhca.bond.config;

/** How often a mark of the bond's own follows one-sided requests into a word at the peer (option {@code ledger}). */
public enum LedgerMode {
    /** Never: what was not followed by a message is in doubt after a failure. */
    OFF("off"),
    /** Behind every eighth one-sided request: at most eight are in doubt after a failure. */
    BATCH("batch"),
    /** Behind every one-sided request: at most one is in doubt after a failure. */
    EACH("each");

    private final String text;

    LedgerMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
