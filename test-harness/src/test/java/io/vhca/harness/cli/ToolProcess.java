package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One run of the tool as a process of its own, without a terminal; what it printed, both streams together. */
record ToolProcess(int code, String output) {
    private static final int DEADLINE_SECONDS = 120;

    /** The launcher at the root of the project. */
    static Path launcher() {
        return root().resolve("vhca");
    }

    /** The project's directory, wherever the build was started. */
    static Path root() {
        final Path here = Path.of("").toAbsolutePath();
        return Files.isExecutable(here.resolve("vhca")) ? here : here.resolve("..").normalize();
    }

    static ToolProcess run(
            final Path program, final Path directory, final Map<String, String> environment, final String... args)
            throws IOException, InterruptedException {
        final Process process =
                builder(program, directory, environment, args).redirectErrorStream(true).start();
        return ended(process, process.getInputStream());
    }

    /** The same with what it prints written into a file; the output is what it said of errors. */
    static ToolProcess runInto(
            final Path file, final Path program, final Path directory, final Map<String, String> environment,
            final String... args)
            throws IOException, InterruptedException {
        final Process process = builder(program, directory, environment, args)
                .redirectOutput(file.toFile())
                .start();
        return ended(process, process.getErrorStream());
    }

    private static ProcessBuilder builder(
            final Path program, final Path directory, final Map<String, String> environment, final String... args) {
        final List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(args));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        return builder;
    }

    private static ToolProcess ended(final Process process, final InputStream printed)
            throws IOException, InterruptedException {
        process.getOutputStream().close();
        // One that does not end by itself would keep the read below waiting for ever.
        CompletableFuture.delayedExecutor(DEADLINE_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        final String output = new String(printed.readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new ToolProcess(process.exitValue(), output);
    }
}
