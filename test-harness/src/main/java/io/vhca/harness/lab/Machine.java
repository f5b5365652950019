package io.vhca.harness.lab;

import io.vhca.tool.console.EnvironmentException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One emulated machine. Commands can be run in it at any time, by any thread, several at once.
 *
 * @param id        1 or 2
 * @param process   QEMU's
 * @param monitor   QEMU's monitor
 * @param console   what the machine prints
 * @param log       what QEMU prints
 * @param agentPort on the loopback address, where it takes commands
 */
public record Machine(int id, ProcessHandle process, Path monitor, Path console, Path log, int agentPort) {
    /** The function and its module, from what a kernel prints of the instruction that it crashed at. */
    private static final Pattern CRASH = Pattern.compile("RIP: 0010:([a-zA-Z_0-9]+)\\S*( \\[[a-z_0-9]+])?");

    /** What a command printed and its exit code; 255 when the machine was lost. */
    public record Outcome(int code, String output) {}

    private static final String READY = "vhca-lab: ready";
    private static final long POLL_MS = 20;
    private static final long TRY_MS = 300;
    /** Room for what a kernel says when it panics. */
    private static final int KEPT_LINES = 40;
    private static final int PATIENCE_MS = 120_000;

    /**
     * Starts QEMU, which may {@link #refusal refuse}; the machine is not up yet.
     *
     * @param outlives the machine is to outlive this process; else the kernel ends it with the calling thread
     */
    static Machine start(
            final LabConfig config, final LabKit kit, final Path directory, final int id, final boolean outlives)
            throws IOException {
        final QemuCommand command = new QemuCommand(config, kit, directory, id, freePort());
        final List<String> words =
                new ArrayList<>(outlives ? List.of("setsid") : List.of("setpriv", "--pdeathsig", "KILL"));
        words.addAll(command.words());
        final Path log = QemuCommand.log(directory, id);
        final Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        process.getOutputStream().close();
        return new Machine(id, process.toHandle(), command.monitor(), command.console(), log, command.agentPort());
    }

    /**
     * What QEMU said, which says at once when it cannot start: the port was taken meanwhile, or an option is unknown to
     * it. Null where it goes on.
     */
    @Nullable String refusal() throws IOException, InterruptedException {
        try {
            process.onExit().get(TRY_MS, TimeUnit.MILLISECONDS);
            return Files.readString(log).strip();
        } catch (final TimeoutException e) {
            return null;
        } catch (final ExecutionException e) {
            throw new AssertionError("to wait for a process does not fail", e);
        }
    }

    /** Whether another port may do, where QEMU said that. */
    static boolean isPortTaken(final String refusal) {
        return refusal.contains("host forwarding");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits until the machine serves commands. */
    void awaitReady(final long patienceNs) throws IOException, InterruptedException {
        final long startNs = System.nanoTime();
        while (!says(READY)) {
            if (!process.isAlive()) {
                throw new IOException("machine " + id + " ended while it booted: " + tail());
            }
            if (System.nanoTime() - startNs > patienceNs) {
                throw new IOException("machine " + id + " did not boot within "
                        + TimeUnit.NANOSECONDS.toSeconds(patienceNs) + " s: " + tail());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        // The line is printed just before the agent listens.
        while (exec("true").code() != 0) {
            if (System.nanoTime() - startNs > patienceNs) {
                throw new IOException("machine " + id + " takes no commands: " + tail());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    private boolean says(final String text) throws IOException {
        return Files.exists(console) && Files.readString(console, StandardCharsets.ISO_8859_1).contains(text);
    }

    /** The end of what the machine printed. */
    String tail() {
        try {
            final List<String> lines = Files.readAllLines(console, StandardCharsets.ISO_8859_1);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - KEPT_LINES), lines.size()));
        } catch (final IOException e) {
            return "it printed nothing";
        }
    }

    /**
     * @throws EnvironmentException where it has ended by itself: says why, as far as the machine has
     */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new EnvironmentException(
                    "machine " + id + " of the lab has ended, and the next command boots both anew" + cause(tail()));
        }
    }

    /** Whether it printed that its kernel crashed. */
    boolean hasCrashed() {
        return !cause(tail()).isEmpty();
    }

    /** What a console says of a crash; empty where it says nothing of one. */
    static String cause(final String console) {
        if (!console.contains("Kernel panic")) {
            return "";
        }
        final Matcher where = CRASH.matcher(console);
        return ": its kernel crashed"
                + (where.find() ? " in " + where.group(1) + Objects.requireNonNullElse(where.group(2), "") : "")
                + "\n" + console;
    }

    /** Starts a command whose input and output the caller handles. */
    GuestCommand command(final String script, final GuestCommand.Host host) throws IOException {
        return GuestCommand.start(agentPort, script, host);
    }

    /** Runs a bash script to its end; one that is silent for two minutes is given up. */
    public Outcome exec(final String script) {
        try (GuestCommand command = command(script, GuestCommand.NOBODY)) {
            command.endInput();
            command.patience(PATIENCE_MS);
            final StringBuilder output = new StringBuilder();
            final BufferedReader reader =
                    new BufferedReader(new InputStreamReader(command.output(), StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.append(line).append('\n');
            }
            return new Outcome(command.exitCode(), output.toString());
        } catch (final IOException e) {
            return new Outcome(GuestStream.LOST, String.valueOf(e.getMessage()));
        }
    }

    /** Runs a bash script that must succeed. */
    public String must(final String script) throws IOException {
        final Outcome outcome = exec(script);
        if (outcome.code() != 0) {
            throw new IOException("machine " + id + ": '" + script + "' ended with exit code " + outcome.code() + ": "
                    + outcome.output().strip());
        }
        return outcome.output();
    }

    /** Pulls or plugs a cable from outside; the machine's own settings stay as they are. */
    void carrier(final int link, final boolean isOn) throws IOException {
        Monitor.tell(monitor, "set_link n" + link + (isOn ? " on" : " off"));
    }

    /** Stops the machine's processor, as if it were very slow, or lets it go on. */
    void pause(final boolean isPaused) throws IOException {
        Monitor.tell(monitor, isPaused ? "stop" : "cont");
    }

    /** Ends the machine at once, as a power cut does, and waits until it is gone. Idempotent. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
