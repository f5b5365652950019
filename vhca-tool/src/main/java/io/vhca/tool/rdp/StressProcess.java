package io.vhca.tool.rdp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

/**
 * A process that has a part of a stress. It says a line when its sockets are there, and answers a line with what was
 * counted, until it is told nothing more: so it ends with the process that started it. This class is both sides.
 */
public final class StressProcess implements StressPart {
    private static final String READY = "ready";
    private static final String BEGIN = "begin";
    private static final String SAMPLE = "sample";
    private static final String COUNTS = "counts";

    private final Process process;

    private StressProcess(final Process process) {
        this.process = process;
    }

    /** Starts one, and waits until its sockets are there. */
    static StressProcess start(final List<String> command) throws IOException {
        final StressProcess started = new StressProcess(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
        boolean isDone = false;
        try {
            started.expect(READY);
            isDone = true;
            return started;
        } finally {
            if (!isDone) {
                started.close();
            }
        }
    }

    private void say(final String line) throws IOException {
        process.outputWriter().write(line + "\n");
        process.outputWriter().flush();
    }

    private String expect(final String kind) throws IOException {
        final String line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("process " + process.pid() + " of this stress has ended");
        }
        if (!line.startsWith(kind)) {
            throw new IOException(line);
        }
        return line;
    }

    @Override
    public void begin() throws IOException {
        say(BEGIN);
    }

    @Override
    public Sample sample() throws IOException {
        say(SAMPLE);
        final List<Long> words = Arrays.stream(expect(COUNTS).split(" ")).skip(1).map(Long::valueOf).toList();
        return new Sample(StressCount.decode(words.subList(1, words.size())), words.getFirst());
    }

    @Override
    public void close() {
        try {
            process.outputWriter().close();
        } catch (final IOException e) {
            // It has ended before.
            process.destroy();
        }
        process.onExit().join();
    }

    // ---- in that process --------------------------------------------------------------------------------------------

    /** Does what the process that started this one says, until it says nothing more. */
    public static void obey(final StressSockets part, final BufferedReader in, final PrintWriter out)
            throws IOException {
        answer(out, READY);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals(BEGIN)) {
                part.begin();
            } else {
                answer(out, counts(part));
            }
        }
    }

    private static String counts(final StressSockets part) {
        try {
            final Sample sample = part.sample();
            final StringBuilder text = new StringBuilder(COUNTS).append(' ').append(sample.processorNs());
            sample.each().forEach(count -> count.encode(text));
            return text.toString();
        } catch (final IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void answer(final PrintWriter out, final String line) {
        out.println(line);
        out.flush();
    }
}
