package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTimeTest {
    @TempDir
    Path directory;

    private Path file(final String name, final long millis) throws IOException {
        final Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
        return Files.setLastModifiedTime(file, FileTime.fromMillis(millis));
    }

    @Test
    void theNewestFileOfAllCounts() throws IOException {
        final String archive = file("one.jar", 5_000).toString();
        file("classes/io/vhca/A.class", 3_000);
        final String classes = directory.resolve("classes").toString();
        final String classPath = String.join(File.pathSeparator, archive, classes, "not/there");
        assertThat(ClassPathTime.newest(classPath).toMillis()).isEqualTo(5_000);
        file("classes/io/vhca/B.class", 7_000);
        assertThat(ClassPathTime.newest(classPath).toMillis()).isEqualTo(7_000);
    }
}
