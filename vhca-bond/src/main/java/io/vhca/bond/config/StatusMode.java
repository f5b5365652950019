package io.vhca.bond.config;

/** Who may read a bond's status and tell it what to do (option {@code status_mode}). */
public enum StatusMode {
    /** The user that runs the application. */
    OWNER("owner"),
    /** That user and the members of its group. */
    GROUP("group");

    private final String text;

    StatusMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
