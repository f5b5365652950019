package io.vhca.ras.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.file.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    /** In containers every process has the same number. */
    @Test
    void whatAnEarlierProcessOfTheSameNumberLeftIsKeptInBounds() throws IOException {
        final Path directory = Files.createDirectory(parent.resolve("status"));
        final Path own = directory.resolve(TraceFiles.of("bond0"));
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            TraceFiles.keepLeft(opened, "bond0");
            for (int life = 1; life <= 6; life++) {
                Files.writeString(own, "life " + life);
                Files.setLastModifiedTime(own, FileTime.fromMillis(life * 1_000L));
                TraceFiles.keepLeft(opened, "bond0");
                TraceFiles.sweep(opened, "bond0");
            }
        }
        assertThat(own).doesNotExist();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).hasSize(TraceFiles.KEPT).allSatisfy(file -> {
                assertThat(file.toString()).matches(".*/bond0\\.[0-9]+-[0-9]+\\.trace");
                assertThat(file).content().isIn("life 3", "life 4", "life 5", "life 6");
            });
        }
    }
}
