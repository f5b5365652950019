package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.file.OwnDirectories;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    /** A bond that is opened again, in its process or in another one. */
    @Test
    void numbersGoOnBehindThoseThatAreThere() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            assertThat(ReportFiles.lastNumber(opened, "bond0")).isZero();
            final long pid = ProcessHandle.current().pid();
            for (final Path name : new Path[] {
                ReportFiles.name("bond0", 9), ReportFiles.name("bond0", 10), ReportFiles.name("bond0.1", 11),
                ReportFiles.name("bond", 12), Path.of("bond0." + (pid + 1) + ".13.snapshot"),
                Path.of("bond0." + pid + ".14.snapshot.1.1.part"),
                Path.of("bond0." + pid + ".99999999999999999999.snapshot")}) {
                Files.createFile(directory.resolve(name));
            }
            assertThat(ReportFiles.lastNumber(opened, "bond0")).isEqualTo(13);
        }
    }

    private static List<Path> listed(final Path directory, final String bond) throws IOException {
        final String before = System.setProperty(StatusDirectory.PROPERTY, directory.toString());
        try {
            return ReportFiles.snapshots(bond).stream().map(directory::relativize).toList();
        } finally {
            if (before == null) {
                System.clearProperty(StatusDirectory.PROPERTY);
            } else {
                System.setProperty(StatusDirectory.PROPERTY, before);
            }
        }
    }

    private static Path written(final Path directory, final String name, final long ms) throws IOException {
        final Path file = Files.createFile(directory.resolve(name));
        Files.setLastModifiedTime(file, FileTime.fromMillis(ms));
        return Path.of(name);
    }

    /** What is written after it must not be the oldest: it would be deleted first, and shown as what was long ago. */
    @Test
    void aClockThatIsSetBackLeavesTheOrder() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final long laterMs = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        for (int number = 1; number <= ReportFiles.KEPT; number++) {
            written(directory, "bond0.4711." + number + ".snapshot", laterMs + number);
        }
        final Path first = ReportFiles.name("bond0", ReportFiles.KEPT + 1);
        final Path second = ReportFiles.name("bond0", ReportFiles.KEPT + 2);
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            ReportFiles.writeSnapshot(opened, "bond0", new Report(List.of()));
            ReportFiles.writeSnapshot(opened, "bond0", new Report(List.of()));
        }
        assertThat(listed(directory, "bond0"))
                .hasSize(ReportFiles.KEPT)
                .startsWith(Path.of("bond0.4711.3.snapshot"))
                .endsWith(first, second);
        assertThat(listed(directory, "")).endsWith(first, second);
    }

    /** Where they are written within one tick of the file system, too. */
    @Test
    void nineIsOlderThanTen() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final Path ten = written(directory, "bond0.4711.10.snapshot", 1_000);
        final Path nine = written(directory, "bond0.4711.9.snapshot", 1_000);
        final Path before = written(directory, "bond1.4711.11.snapshot", 999);
        final Path behind = written(directory, "bond1.4711.12.snapshot", 1_001);
        final Path foreign = written(directory, "copied.snapshot", 1_002);
        assertThat(listed(directory, "bond0")).containsExactly(nine, ten);
        assertThat(listed(directory, "")).containsExactly(before, nine, ten, behind, foreign);
    }
}
