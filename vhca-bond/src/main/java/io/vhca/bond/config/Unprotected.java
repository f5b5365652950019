package io.vhca.bond.config;

/** Whether peers without the bond are served (option {@code unprotected}). */
public enum Unprotected {
    /** They are refused: nothing could be promised. */
    REFUSE("refuse"),
    /** Over one member and without recovery: what fails reaches the application as on hardware. */
    ALLOW("allow");

    private final String text;

    Unprotected(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
