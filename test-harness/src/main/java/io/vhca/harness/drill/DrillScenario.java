package io.vhca.harness.drill;

import java.util.concurrent.TimeUnit;

/** What happens to the link in use, again and again, in a drill on this machine. */
public enum DrillScenario {
    /** A port is unplugged, and plugged in again after the connection has moved. */
    CUT("cut", "plug", "", 0, "a cut unplugs a soft port"),
    /** The member is drained, and resumed. */
    DRAIN("drain", "drain", "", 0, "a cut is an operator's drain, ended by resume"),
    /** The member is removed from the bond, and added again. */
    REMOVE("remove", "remove", "", 0, "a cut is an operator's removal of the member, which is added again"),
    /** As CUT, and the connection returns to the primary each time. */
    PRIMARY("primary", "plug", "primary=soft0", 0, "a cut unplugs a soft port; soft0 is the primary"),
    /** A port is down for a moment only, whether the connection has moved or not. */
    FLAP("flap", "plug", "", TimeUnit.MILLISECONDS.toNanos(30), "a cut unplugs a soft port for 30 ms");

    private final String word;
    private final String verb;
    private final String bondOptions;
    private final long healAfterNs;
    private final String description;

    DrillScenario(
            final String word,
            final String verb,
            final String bondOptions,
            final long healAfterNs,
            final String description) {
        this.word = word;
        this.verb = verb;
        this.bondOptions = bondOptions;
        this.healAfterNs = healAfterNs;
        this.description = description;
    }

    /** Its name on the command line. */
    public String word() {
        return word;
    }

    /** What it does, for people. */
    public String description() {
        return description;
    }

    /** What the child that has the member is told. */
    String verb() {
        return verb;
    }

    String bondOptions() {
        return bondOptions;
    }

    long healAfterNs() {
        return healAfterNs;
    }
}
