package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Runs rdmacm-utils' rstream between the machines, over rsockets on rxe0 or over the kernel's TCP on the interface
 * below, and reads its figures. One thread.
 */
final class Rstream {
    /**
     * What a run came to.
     *
     * @param us     microseconds a message; of one message there and one back half a round trip
     * @param busyNs what both machines' processors worked meanwhile, starting the programs included
     */
    record Run(double us, long busyNs) {}

    private static final String PORT = "18517";
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(180);

    private final Lab lab;

    Rstream(final Lab lab) {
        this.lab = lab;
    }

    /**
     * Sends so many messages there, then as many back, and that so many times.
     *
     * @param isTcp the kernel's TCP, else rsockets
     */
    Run run(final boolean isTcp, final int sizeBytes, final int messages, final int times)
            throws IOException, InterruptedException {
        // Calls that wait: on one processor who polls keeps it from the packets.
        final String command = "rstream -p " + PORT + " -T b" + (isTcp ? " -T s" : "") + " -S " + sizeBytes
                + " -C " + messages + " -I " + times;
        final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                        lab,
                        Map.of(
                                1, asking("barrier up && " + command + " -s $(address 2 0)"),
                                2, command + " & listening " + PORT + " && " + asking("barrier up && wait $!")),
                        LIMIT_NS,
                        new PrintWriter(Writer.nullWriter()))
                .run();
        long busyNs = 0;
        for (final Machine.Outcome outcome : outcomes.values()) {
            if (outcome.code() != 0) {
                throw new IOException("'" + command + "' failed in the machines: " + outcomes);
            }
            busyNs += ProcessorTime.spentNs(outcome.output());
        }
        return new Run(microseconds(Objects.requireNonNull(outcomes.get(1)).output()), busyNs);
    }

    private static String asking(final String script) {
        return ProcessorTime.ASK + " && " + script + " && " + ProcessorTime.ASK;
    }

    /** The last figure of the one line that begins with the name of the test. */
    static double microseconds(final String output) throws IOException {
        final List<String> lines =
                output.lines().filter(line -> line.startsWith("custom")).toList();
        if (lines.size() != 1) {
            throw new IOException("no line of figures in: " + output);
        }
        final String line = lines.getFirst().strip();
        return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }
}
