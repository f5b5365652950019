package io.vhca.harness.drill.fabric;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A shell that lets stopped processes go on once this process is gone, however it ends: its input ends then, also by
 * kill -9. It is not impressed by Ctrl-C, which it gets as well. Any thread.
 */
final class StopGuard implements AutoCloseable {
    private static final String SCRIPT = "trap '' INT HUP TERM; read -r line; kill -CONT \"$@\" 2>/dev/null";

    private final Process shell;

    /** @throws IllegalStateException where there is no shell: nobody is to be stopped then */
    StopGuard(final List<Long> pids) {
        final List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "stop-guard"));
        pids.forEach(pid -> words.add(String.valueOf(pid)));
        try {
            shell = new ProcessBuilder(words)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (final IOException e) {
            throw new IllegalStateException("no /bin/sh that would let stopped processes go on: " + e.getMessage(), e);
        }
    }

    ProcessHandle shell() {
        return shell.toHandle();
    }

    /** Lets them go on now. Idempotent. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
        } catch (final IOException e) {
            // It is gone, and so is what it was for.
            assert !shell.isAlive() : e;
        }
    }
}
