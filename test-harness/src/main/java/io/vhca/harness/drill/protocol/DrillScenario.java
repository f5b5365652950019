package io.vhca.harness.drill.protocol;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What happens to the link in use, again and again. */
public enum DrillScenario {
    /** A port is unplugged, and plugged in again after the connection has moved. */
    CUT("cut", "plug", Words.CUT, 0, "a cut unplugs a soft port"),
    /** The member is drained, and resumed. */
    DRAIN(
            "drain",
            "drain",
            new Words("drain", "resumed", "drained"),
            0,
            "an operator drains the member, and resumes it"),
    /** The member is removed from the bond, and added again. */
    REMOVE(
            "remove",
            "remove",
            new Words("removal", "added again", "removed"),
            0,
            "an operator removes the member from the bond, and adds it again"),
    /** As CUT, and the connection returns to the primary each time. */
    PRIMARY("primary", "plug", Words.CUT, 0, "a cut unplugs a soft port; the first member is the primary"),
    /** A port is down for a moment only, whether the connection has moved or not. */
    FLAP("flap", "plug", Words.CUT, TimeUnit.MILLISECONDS.toNanos(30), "a cut unplugs a soft port for 30 ms"),
    /** The GID of a port moves to another index in its table, as after a flap: its queue pairs carry nothing more. */
    GID(
            "gid",
            "gid",
            new Words("GID move", "moved once more", "without its GID"),
            0,
            "the GID of a soft port moves to another index in its table");

    /**
     * How a drill speaks of it.
     *
     * @param noun   one of them
     * @param undone a member of which it is over
     * @param state  a member that it has befallen
     */
    public record Words(String noun, String undone, String state) {
        private static final Words CUT = new Words("cut", "healed", "down");
    }

    /** All that a process survives and that goes without options of its own. */
    public static final List<DrillScenario> IN_TURN = List.of(CUT, DRAIN, FLAP, REMOVE, GID);

    private final String word;
    private final String verb;
    private final Words words;
    private final long healAfterNs;
    private final String description;

    DrillScenario(
            final String word,
            final String verb,
            final Words words,
            final long healAfterNs,
            final String description) {
        this.word = word;
        this.verb = verb;
        this.words = words;
        this.healAfterNs = healAfterNs;
        this.description = description;
    }

    /** Its name on the command line. */
    public String word() {
        return word;
    }

    /** What it does on soft devices, for people. */
    public String description() {
        return description;
    }

    public Words words() {
        return words;
    }

    /** True where a member is up all the time, and only the bond is told. */
    public boolean isOperators() {
        return this == DRAIN || this == REMOVE;
    }

    /** What the process that has the member is told. */
    public DrillLine command(final String member, final boolean isUp) {
        return DrillLine.of(verb, "device", member, "up", isUp);
    }

    /** What both bonds are configured with besides. */
    public String bondOptions(final String firstMember) {
        return this == PRIMARY ? "primary=" + firstMember : "";
    }

    public long healAfterNs() {
        return healAfterNs;
    }
}
