package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.file.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    /** A bond that is opened again in its process, or another process that has the same number. */
    @Test
    void numbersGoOnBehindThoseThatAreThere() throws IOException {
        final Path directory = Files.createDirectory(parent.resolve("status"));
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
            assertThat(ReportFiles.lastNumber(opened, "bond0")).isEqualTo(10);
        }
    }
}
