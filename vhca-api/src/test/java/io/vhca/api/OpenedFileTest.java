package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is opened stays the same one, whatever is put in its place. */
class OpenedFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void whatStandsUnderItsNameLaterIsAnother() throws IOException {
        final Path file = Files.writeString(directory.resolve("access"), "user root");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        final Path other = Files.writeString(directory.resolve("other"), "user mallory");
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (OpenedFile opened = OpenedFile.open(file)) {
            Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(Files.readString(opened.path())).isEqualTo("user root");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(opened.path())))
                    .isEqualTo("rw-r--r--");
        }
    }

    /** As one of another encoding than the JVM's: it is listed and read by bytes, and has no text of its own. */
    @Test
    void aNameThatIsNoTextIsFound() throws IOException {
        final Path file = Path.of(URI.create(directory.toUri() + "schl%FCssel"));
        Files.writeString(file, "user root");
        try (OpenedFile opened = OpenedFile.open(file)) {
            assertThat(Files.readString(opened.path())).isEqualTo("user root");
        }
    }

    @Test
    void aSymbolicLinkAndWhatIsNotThereAreNotOpened() throws IOException {
        final Path link = Files.createSymbolicLink(
                directory.resolve("link"), Files.writeString(directory.resolve("access"), ""));
        assertThatThrownBy(() -> OpenedFile.open(link))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("symbolic link");
        assertThatThrownBy(() -> OpenedFile.open(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }
}
