package io.vhca.bond.config;

/** How a path that dies without a word is found. */
public enum DetectMode {
    /** The peer's bond is asked over it, and over another one beside, when requests do not complete. */
    PROBE("probe"),
    /** Hardware gives up, or is silent for too long. */
    HARDWARE("hardware");

    private final String text;

    DetectMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
