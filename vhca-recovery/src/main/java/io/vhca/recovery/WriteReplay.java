package io.vhca.recovery;

/** What becomes of a WRITE of which nobody knows whether the peer executed it (option {@code write_replay}). */
public enum WriteReplay {
    /** It is written again, with the same bytes. */
    REPLAY("replay"),
    /** The vQP fails with {@link BondError#WRITE_IN_DOUBT}. */
    FAIL("fail");

    private final String text;

    WriteReplay(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
