package io.vhca.harness.lab;

import java.math.BigDecimal;

/**
 * How long a machine's one processor has worked, as its kernel says: the time since it booted without the time in which
 * it had nothing to do, to a hundredth of a second. Pure.
 */
final class ProcessorTime {
    /** A script that prints what {@link #busyNs} reads; it starts no process. */
    static final String ASK = "read -r up idle < /proc/uptime && echo \"uptime $up $idle\"";

    private ProcessorTime() {}

    /** What that line says. */
    static long busyNs(final String line) {
        final String[] words = line.strip().split(" ", -1);
        if (words.length != 3 || !words[0].equals("uptime")) {
            throw new IllegalArgumentException("'" + line.strip() + "' is not 'uptime SECONDS IDLE_SECONDS'");
        }
        return new BigDecimal(words[1]).subtract(new BigDecimal(words[2])).movePointRight(9).longValueExact();
    }

    /** How much longer it had worked at the last such line of an output than at the first. */
    static long spentNs(final String output) {
        final String[] lines =
                output.lines().filter(line -> line.startsWith("uptime ")).toArray(String[]::new);
        if (lines.length < 2) {
            throw new IllegalArgumentException("no two lines of uptime in: " + output);
        }
        return busyNs(lines[lines.length - 1]) - busyNs(lines[0]);
    }
}
