package io.vhca.bond.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Who looks at one kind of thing of a bond (option {@code health}), as devlink has reporters of a device. */
public enum HealthReporter {
    /** Members and their devices. */
    MEMBER(""),
    /** Queue pairs that look for a path. */
    PATH(""),
    /** Queue pairs that failed for good. */
    QUEUE_PAIR("a queue pair that failed stays so: its application closes it and connects again; `vhca snapshot list`"
            + " says why it failed"),
    /** Threads inside the bond, the bond's own among them. */
    THREAD("nobody can move a thread from outside: `vhca threads` says where it is; where it does not leave, restart"
            + " its process"),
    /** The journal. */
    JOURNAL(""),
    /** Markers round native memory. */
    MEMORY("");

    private final String refusal;

    HealthReporter(final String refusal) {
        this.refusal = refusal;
    }

    /** The name as it is written and shown. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Why the bond cannot recover it, and what to do; empty where it can. */
    public String refusal() {
        return refusal;
    }

    /** The reporter of that name; null where there is none. */
    public static @Nullable HealthReporter named(final String text) {
        for (final HealthReporter one : values()) {
            if (one.text().equals(text.toLowerCase(Locale.ROOT))) {
                return one;
            }
        }
        return null;
    }
}
