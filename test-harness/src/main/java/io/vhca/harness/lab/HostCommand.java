package io.vhca.harness.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs a command of this machine to its end. */
final class HostCommand {
    /** What a command printed, both streams in one, and its exit code. */
    record Outcome(int code, String output) {
        /** The last line that says something; empty when there is none. */
        String lastLine() {
            return output.lines().filter(line -> !line.isBlank()).reduce("", (before, line) -> line.strip());
        }
    }

    private HostCommand() {}

    static Outcome run(final Path directory, final String... words) throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.environment().put("LC_ALL", "C");
        final Process process = builder.start();
        try {
            process.getOutputStream().close();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Is there such a program, in the path or where only root's path leads? */
    static boolean exists(final String program) {
        final String path = System.getenv("PATH") + ":/usr/local/sbin:/usr/sbin:/sbin";
        return List.of(path.split(":", -1)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
