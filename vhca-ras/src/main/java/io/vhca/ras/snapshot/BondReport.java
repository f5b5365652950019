package io.vhca.ras.snapshot;

import io.vhca.bond.BondContext;
import io.vhca.ras.trace.TraceExcerpt;
import java.io.IOException;
import java.nio.file.Path;

/** What several kinds of reports say of a bond. Any thread. */
public final class BondReport {
    private BondReport() {}

    /** All options, as a configuration has them. */
    public static void options(final BondContext bond, final Report.Builder to) {
        to.section("options");
        bond.admin().config().toText().lines().skip(1).map(line -> line.split(" = ", 2)).forEach(
                option -> to.value(option[0], option[option.length - 1]));
    }

    /**
     * The end of the trace; where it cannot be read, why: the rest of a report is worth the more.
     *
     * @param directory where the trace is
     * @param object    as in {@link TraceExcerpt#lines}
     */
    public static void trace(
            final Path directory, final String bond, final long object, final Report.Builder to) {
        to.section("trace");
        try {
            for (final String line : TraceExcerpt.lines(directory, bond, object)) {
                final int time = Math.min(line.length(), TraceExcerpt.TIME_LETTERS);
                to.value(line.substring(0, time), line.substring(time).strip());
            }
        } catch (final IOException e) {
            to.value("cannot be read", e);
        }
    }
}
