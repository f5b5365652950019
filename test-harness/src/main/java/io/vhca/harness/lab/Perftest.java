package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs perftest's programs between the machines and reads their figures. Numbers are exchanged over TCP, for over the
 * connection manager perftest's ends may miss each other. One thread.
 */
final class Perftest {
    private static final String PORT = "18515";
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);
    /** Columns of the one line of figures, from 0: t_avg of a latency test, the average of a bandwidth test. */
    private static final int AVERAGE_LATENCY = 5;

    private static final int AVERAGE_BANDWIDTH = 3;

    private final Lab lab;
    private final String device;

    Perftest(final Lab lab, final String device) {
        this.lab = lab;
        this.device = device;
    }

    /** The average latency in microseconds, as ours is one too: half a round trip, a whole one for READ. */
    double latencyUs(final String program, final int sizeBytes, final int iterations)
            throws IOException, InterruptedException {
        return figure(run(program, sizeBytes, iterations), AVERAGE_LATENCY);
    }

    /** The average bandwidth in MB/s, a MB being a million bytes. */
    double megabytesPerSecond(final String program, final int sizeBytes, final int iterations)
            throws IOException, InterruptedException {
        // The program counts 2^20 bytes as a MB.
        return figure(run(program, sizeBytes, iterations), AVERAGE_BANDWIDTH) * (1 << 20) / 1e6;
    }

    private String run(final String program, final int sizeBytes, final int iterations)
            throws IOException, InterruptedException {
        final String command = program + " -F -d " + device + " -s " + sizeBytes + " -n " + iterations;
        final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                        lab,
                        Map.of(
                                1, "barrier up && " + command + " $(address 2 0)",
                                2, command + " & listening " + PORT + " && barrier up && wait $!"),
                        LIMIT_NS,
                        new PrintWriter(Writer.nullWriter()))
                .run();
        final Machine.Outcome client = outcomes.get(1);
        if (client == null || client.code() != 0) {
            throw new IOException("'" + command + "' failed in the machines: " + outcomes);
        }
        return client.output();
    }

    /** The figure in that column of the line that begins with two numbers, size and iterations. */
    static double figure(final String output, final int column) throws IOException {
        final List<String[]> lines = output.lines()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(words -> words.length > column && words[0].matches("[0-9]+") && words[1].matches("[0-9]+"))
                .toList();
        if (lines.size() != 1) {
            throw new IOException("no line of figures in: " + output);
        }
        return Double.parseDouble(lines.getFirst()[column]);
    }
}
