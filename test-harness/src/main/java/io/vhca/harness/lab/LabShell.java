package io.vhca.harness.lab;

import io.vhca.tool.console.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** Connects this process' terminal with a shell in a machine. One thread, and one for the input. */
public final class LabShell {
    private final Machine machine;

    public LabShell(final Machine machine) {
        this.machine = machine;
    }

    /** Runs until the shell ends; its exit code. */
    public int run() throws IOException, InterruptedException {
        final boolean isTerminal = Terminal.isThere();
        // script(1) gives the shell a terminal of its own there.
        final String shell = isTerminal
                ? "export TERM=" + System.getenv().getOrDefault("TERM", "vt100").replaceAll("[^-a-zA-Z0-9.+]", "")
                        + "; cd; exec script -qefc 'bash -i' /dev/null"
                : "exec bash";
        try (GuestCommand command = machine.command(shell, GuestCommand.NOBODY)) {
            if (isTerminal) {
                stty("raw", "-echo");
            }
            Thread.ofPlatform().name("lab-shell-input").daemon().start(() -> pump(command));
            final PrintStream out = System.out;
            final byte[] buffer = new byte[4096];
            for (int count = command.output().read(buffer); count >= 0; count = command.output().read(buffer)) {
                out.write(buffer, 0, count);
                out.flush();
            }
            return command.exitCode();
        } finally {
            if (isTerminal) {
                stty("sane");
            }
        }
    }

    private static void pump(final GuestCommand command) {
        try {
            final InputStream in = System.in;
            final OutputStream input = command.input();
            final byte[] buffer = new byte[4096];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                input.write(buffer, 0, count);
                input.flush();
            }
            command.endInput();
        } catch (final IOException e) {
            // The shell has ended.
        }
    }

    private static void stty(final String... words) throws IOException, InterruptedException {
        final String[] command = new String[words.length + 1];
        command[0] = "stty";
        System.arraycopy(words, 0, command, 1, words.length);
        new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
