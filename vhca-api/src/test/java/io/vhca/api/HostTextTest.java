package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostTextTest {
    private static final int ENOTDIR = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** In whatever language this test runs. */
    @Test
    void isTheReasonThatTheFileSystemGives() throws IOException {
        final Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> Files.newInputStream(file.resolve("below")).close())
                .isInstanceOfSatisfying(FileSystemException.class, e ->
                        assertThat(HostText.of(ENOTDIR)).isEqualTo(e.getReason()));
        assertThat(HostText.of(Errno.EMFILE)).isNotEqualTo(HostText.of(ENOTDIR));
    }
}
