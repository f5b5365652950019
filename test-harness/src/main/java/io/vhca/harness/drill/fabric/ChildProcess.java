package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import io.vhca.harness.drill.protocol.JvmCommand;
import io.vhca.harness.drill.protocol.LastLines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A child JVM with this JVM's flags and class path. What it says comes into a queue; what else it prints is kept for a
 * failure's message. Any thread.
 */
public final class ChildProcess implements DrillPeer {
    /** Something that a child said; {@code kind} "exited" when it ended, with its {@code code}. */
    public record Said(String child, DrillLine line) {}

    private static final long SECONDS_TO_START = 60;
    private static final long SECONDS_TO_WRITE_A_RECORDING = 30;

    /** The flag that makes a JVM record what it does; empty for none. */
    private static volatile String recording = "";

    /** Those that are recorded and not closed yet. */
    private static final List<ChildProcess> RECORDED = new CopyOnWriteArrayList<>();

    private final String name;
    private final Process process;
    private final Writer input;
    private final BlockingQueue<Said> said;
    private final LastLines noise = new LastLines();

    private ChildProcess(final String name, final Process process, final BlockingQueue<Said> said) {
        this.name = name;
        this.process = process;
        this.said = said;
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /**
     * Starts a JVM.
     *
     * @param prefix     what goes before the java command
     * @param properties {@code key=value}, set in the child
     */
    public static ChildProcess start(
            final String name,
            final List<String> prefix,
            final List<String> properties,
            final Class<?> main,
            final List<String> args,
            final BlockingQueue<Said> said)
            throws IOException {
        return start(name, prefixed(prefix, command(properties, main, args)), said);
    }

    /**
     * Starts a JVM and waits for its first word; what it says later nobody hears.
     *
     * @param word the kind of the line that it has to begin with
     * @throws IOException it began with another one, or said nothing for a minute: it is ended, and what it printed is
     *                     in the message
     */
    public static ChildProcess startedWith(
            final String word,
            final String name,
            final List<String> properties,
            final Class<?> main,
            final List<String> args)
            throws IOException, InterruptedException {
        final BlockingQueue<Said> said = new LinkedBlockingQueue<>();
        final ChildProcess child = start(name, List.of(), properties, main, args, said);
        boolean isStarted = false;
        try {
            final Said first = said.poll(SECONDS_TO_START, TimeUnit.SECONDS);
            isStarted = first != null && first.line().kind().equals(word);
            if (!isStarted) {
                throw new IOException(name + " did not start, it said " + first + "\n" + child.noise());
            }
            return child;
        } finally {
            if (!isStarted) {
                child.close();
            }
        }
    }

    /** Starts a JVM with a heap of one size, in megabytes, touched at the start: nothing of it grows later. */
    static ChildProcess startTouched(
            final String name,
            final List<String> prefix,
            final int heapMb,
            final List<String> properties,
            final Class<?> main,
            final List<String> args,
            final BlockingQueue<Said> said)
            throws IOException {
        final List<String> command = prefixed(prefix, command(properties, main, args));
        // Of a flag that stands twice the last one counts.
        command.addAll(
                command.indexOf("-cp"), List.of("-Xms" + heapMb + "m", "-Xmx" + heapMb + "m", "-XX:+AlwaysPreTouch"));
        return start(name, command, said);
    }

    private static List<String> prefixed(final List<String> prefix, final List<String> command) {
        final List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        return all;
    }

    /** Starts any command that leads to such a JVM. */
    static ChildProcess start(final String name, final List<String> command, final BlockingQueue<Said> said)
            throws IOException {
        final ChildProcess child = new ChildProcess(name, new ProcessBuilder(command).start(), said);
        child.listen(child.process.getInputStream(), true);
        child.listen(child.process.getErrorStream(), false);
        if (!recording.isEmpty()) {
            RECORDED.add(child);
        }
        return child;
    }

    /**
     * Starts a process of the drill on this machine, with soft devices.
     *
     * @param heapMb as in {@link #startTouched}; 0 for the usual one
     */
    static ChildProcess soft(
            final List<String> prefix,
            final int heapMb,
            final String name,
            final String devices,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<Said> said)
            throws IOException {
        final List<String> all = new ArrayList<>(properties);
        all.add("vhca.soft=" + devices);
        return heapMb > 0
                ? startTouched(name, prefix, heapMb, all, DrillChild.class, args, said)
                : start(name, prefix, all, DrillChild.class, args, said);
    }

    /** The words that start a JVM with this one's flags and class path. */
    public static List<String> command(
            final List<String> properties, final Class<?> main, final List<String> args) {
        return command(properties, main.getName(), args);
    }

    /** The same for a main class by its name. */
    public static List<String> command(final List<String> properties, final String main, final List<String> args) {
        final List<String> options = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC"));
        if (!recording.isEmpty()) {
            options.add(recording);
        }
        return JvmCommand.of(options, properties, main, args);
    }

    /** JVMs that are started from now on have that flag, and write their recording when they end; empty for none. */
    public static void record(final String flag) {
        recording = flag;
    }

    private void listen(final InputStream stream, final boolean isOutput) {
        Thread.ofPlatform().name("drill-" + name).daemon().start(() -> {
            DrillLine.readAll(stream, line -> said.add(new Said(name, line)), noise::add);
            if (isOutput) {
                said.add(new Said(name, DrillLine.of("exited", "code", process.onExit().join().exitValue())));
            }
        });
    }

    /** The process itself. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public String noise() {
        return noise.text();
    }

    @Override
    public synchronized void tell(final DrillLine line) {
        try {
            input.write(line.encode() + "\n");
            input.flush();
        } catch (final IOException e) {
            noise.add("not told " + line.kind() + ": " + e.getMessage());
        }
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        if (!recording.isEmpty()) {
            // All at once: what loses its peer ends without a recording. By their handles: Process.destroy closes the
            // streams too, and a child whose input ends is gone at once.
            RECORDED.forEach(child -> child.handle().destroy());
            RECORDED.remove(this);
            try {
                process.waitFor(SECONDS_TO_WRITE_A_RECORDING, TimeUnit.SECONDS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        process.destroyForcibly();
        process.onExit().join();
    }
}
