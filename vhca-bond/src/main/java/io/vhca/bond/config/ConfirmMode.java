package io.vhca.bond.config;

/** Whose word makes a send complete with success (option {@code confirm}). */
public enum ConfirmMode {
    /** The member's: it acknowledges what it has received, and may die before it has placed it. */
    OFF("off"),
    /** The peer's bond: it has received the message, or found the mark behind the request. */
    PEER("peer");

    private final String text;

    ConfirmMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
