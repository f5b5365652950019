package io.vhca.bond.config;

/** When {@code primary} becomes the active member again; names as in Linux bonding. */
public enum PrimaryReselect {
    /** As soon as it is up for {@code updelay} and a probe came through. */
    ALWAYS("always"),
    /** As {@link #ALWAYS}, where its link is faster than that of the active member. */
    BETTER("better"),
    /** Only when the active member fails. */
    FAILURE("failure");

    private final String text;

    PrimaryReselect(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
