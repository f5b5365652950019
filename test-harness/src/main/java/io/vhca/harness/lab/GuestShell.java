package io.vhca.harness.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A shell that stays open in a machine, for what must happen soon after it is asked for: starting one takes long there.
 * One command at a time; any thread.
 */
final class GuestShell implements AutoCloseable {
    /**
     * What a script did.
     *
     * @param beganNs the machine's CLOCK_MONOTONIC of the moment just before it ran
     * @param output  what it printed
     */
    record Ran(long beganNs, String output) {}

    private static final String END = "\002end ";
    private static final int PATIENCE_MS = 120_000;
    /** Goes before all else in the machine: programs that poll leave little of its one processor. */
    private static final String LOOP = """
            renice -n -15 $$ > /dev/null
            ready_to_lose
            while read -r encoded; do
                script=$(base64 -d <<< "$encoded")
                clock
                eval "$script" < /dev/null
                printf '\\002end %s\\n' $?
            done
            """;

    private final int machine;
    private final GuestCommand command;
    private final BufferedReader reader;

    GuestShell(final Machine machine) throws IOException {
        this.machine = machine.id();
        command = machine.command(LOOP, GuestCommand.NOBODY);
        command.patience(PATIENCE_MS);
        reader = new BufferedReader(new InputStreamReader(command.output(), StandardCharsets.UTF_8));
    }

    /** Runs a script that must succeed. */
    synchronized Ran run(final String script) throws IOException {
        final byte[] line = (Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8)) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        command.input().write(line);
        command.input().flush();
        final String clock = reader.readLine();
        final StringBuilder output = new StringBuilder();
        for (String said = reader.readLine(); said != null; said = reader.readLine()) {
            if (said.startsWith(END)) {
                if (!said.equals(END + 0)) {
                    throw new IOException("machine " + machine + ": '" + script + "' failed: "
                            + output.toString().strip());
                }
                return new Ran(Long.parseLong(String.valueOf(clock).strip()), output.toString());
            }
            output.append(said).append('\n');
        }
        throw new IOException("machine " + machine + " was lost while it ran '" + script + "'");
    }

    @Override
    public void close() {
        command.close();
    }
}
