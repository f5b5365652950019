package io.vhca.bond.config;

import org.jspecify.annotations.Nullable;

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

    /** The policy of a name, or null where there is none. */
    static @Nullable PrimaryReselect of(final String text) {
        for (final PrimaryReselect policy : values()) {
            if (policy.text.equals(text)) {
                return policy;
            }
        }
        return null;
    }
}
