package io.vhca.bond.config;

/** Who executes atomics (option {@code atomics}). */
public enum AtomicsMode {
    /** The member at the peer's end: atomic among the queue pairs on that member only. */
    NATIVE("native"),
    /** The peer's bond, on behalf of all members: exactly once, whatever fails. */
    EMULATED("emulated");

    private final String text;

    AtomicsMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
