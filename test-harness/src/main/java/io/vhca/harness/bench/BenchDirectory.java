package io.vhca.harness.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory for the files of processes that a benchmark starts, with a part for each of them. Closed after them, it
 * goes with all that they have left: one that is killed leaves its socket.
 *
 * @param parts where each of them may have files, in the order in which they were named
 */
record BenchDirectory(Path path, List<String> parts) implements AutoCloseable {
    /** Whatever the umask is: a driver listens in no other. */
    private static final FileAttribute<?> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    static BenchDirectory make(final String... names) throws IOException {
        final Path path = Files.createTempDirectory("vhca-bench");
        final List<String> parts = new ArrayList<>();
        for (final String name : names) {
            parts.add(Files.createDirectory(path.resolve(name), OWN).toString());
        }
        return new BenchDirectory(path, List.copyOf(parts));
    }

    @Override
    public void close() throws IOException {
        final List<Path> all;
        try (Stream<Path> files = Files.walk(path)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : all) {
            Files.delete(file);
        }
    }
}
