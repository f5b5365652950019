package io.vhca.harness.bench.profile;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * The profile of one part of the benchmark: this process and every JVM that is started meanwhile are recorded by the
 * JVM's own flight recorder; at the end the samples of all of them are drawn on one page. The recordings stay beside
 * it. One thread, one part at a time.
 */
public final class BenchProfile implements AutoCloseable {
    private static final String SETTINGS = "profile";
    private static final String SUFFIX = ".jfr";

    private final Path directory;
    private final String part;
    private final Recording own;

    private BenchProfile(final Path directory, final String part) throws IOException {
        this.directory = Files.createDirectories(directory).toAbsolutePath();
        this.part = part;
        for (final Path old : recordings()) {
            Files.delete(old);
        }
        try {
            own = new Recording(Configuration.getConfiguration(SETTINGS));
            if (FlameGraph.CAN_SAMPLE_CPU) {
                own.enable(FlameGraph.CPU_SAMPLE);
            }
        } catch (final ParseException e) {
            throw new IOException("the JVM cannot read its own settings of the flight recorder", e);
        }
        own.start();
        ChildProcess.record(flag());
    }

    /** Begins to record; the page of an earlier profile of that part is replaced when it ends. */
    public static BenchProfile begin(final Path directory, final String part) throws IOException {
        return new BenchProfile(directory, part);
    }

    /** What a JVM that belongs to the part is started with; it writes its recording when it ends. */
    public String flag() {
        final Path file = directory.resolve(part + "-%p" + SUFFIX);
        return "-XX:StartFlightRecording:filename=" + file + ",settings=" + SETTINGS
                + (FlameGraph.CAN_SAMPLE_CPU ? "," + FlameGraph.CPU_SAMPLE + "#enabled=true" : "");
    }

    private List<Path> recordings() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> {
                        final String name = file.getFileName().toString();
                        return name.startsWith(part + "-") && name.endsWith(SUFFIX);
                    })
                    .sorted()
                    .toList();
        }
    }

    /** Ends it and draws the page. */
    public Path draw() throws IOException {
        own.stop();
        own.dump(directory.resolve(part + "-own" + SUFFIX));
        final FlameGraph graph = new FlameGraph();
        for (final Path recording : recordings()) {
            // It is empty where a process was killed.
            if (Files.size(recording) > 0) {
                graph.addAll(recording);
            }
        }
        return Files.writeString(
                directory.resolve(part + ".html"), FlamePage.of("vhca bench --only " + part, graph));
    }

    @Override
    public void close() {
        ChildProcess.record("");
        own.close();
    }
}
