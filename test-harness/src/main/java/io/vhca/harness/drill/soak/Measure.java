package io.vhca.harness.drill.soak;

import java.util.Locale;

/**
 * Something that a process has more or less of.
 *
 * @param name   in sentences, as "file descriptors"
 * @param column in tables
 * @param isKb   memory in KiB, shown in MB, of which a part may be added for good; else a number of things
 */
public record Measure(String name, String column, boolean isKb) {
    public static final Measure RESIDENT = new Measure("resident KiB", "resident MB", true);
    public static final Measure DESCRIPTORS = new Measure("file descriptors", "descriptors", false);
    public static final Measure THREADS = new Measure("threads", "threads", false);

    private static final double MOST_GROWTH = 1.10;
    /** What a connection that is being made right now has more. */
    private static final int IN_FLIGHT = 4;

    /** A number of things that are called the same in sentences and tables. */
    public static Measure of(final String name) {
        return new Measure(name, name, false);
    }

    boolean hasGrown(final double before, final double after) {
        return after > (isKb ? before * MOST_GROWTH : before + IN_FLIGHT);
    }

    String show(final long value) {
        return isKb ? String.format(Locale.ROOT, "%.1f", value / 1024.0) : String.valueOf(value);
    }
}
