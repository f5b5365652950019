package io.vhca.bond.core;

/** What can change about a member; one sentence each, for people. */
public enum MemberChange {
    UP("is up"),
    DOWN("is down"),
    /** Its device died. */
    DIED("has died"),
    /** Its device is back, and everything stands on it again; its port is still to be looked at. */
    RETURNED("is back"),
    DRAINED("is drained"),
    RESUMED("is in use again"),
    ADDED("was added"),
    /** It was removed, and goes when the last queue pair has left it. */
    LEAVING("is being removed"),
    REMOVED("was removed");

    private final String text;

    MemberChange(final String text) {
        this.text = text;
    }

    /** What is said behind the member's name. */
    public String text() {
        return text;
    }
}
