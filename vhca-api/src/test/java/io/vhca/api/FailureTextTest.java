package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No failure is told by a path alone, or by nothing. */
class FailureTextTest {
    @Test
    void whatTheJdkTellsByThePathAloneIsSaidInWords(@TempDir final Path directory) {
        final Path file = directory.resolve("file");
        final IOException missing = Assertions.catchThrowableOfType(IOException.class, () -> Files.readString(file));
        assertThat(missing).hasMessage(file.toString());
        assertThat(FailureText.of(missing)).isEqualTo("there is no " + file);
        assertThat(FailureText.of(new NoSuchFileException("f"))).isEqualTo("there is no f");
        assertThat(FailureText.of(new AccessDeniedException("f"))).isEqualTo("this user may not open f");
        assertThat(FailureText.of(new FileAlreadyExistsException("f"))).isEqualTo("f is there already");
        assertThat(FailureText.of(new NotDirectoryException("f")))
                .isEqualTo("f cannot be used: NotDirectoryException");
        assertThat(FailureText.of(new MalformedInputException(1))).isEqualTo("it is no text in UTF-8");
    }

    @Test
    void othersSpeakForThemselves() {
        assertThat(FailureText.of(new FileSystemException("f", null, "Is a directory"))).isEqualTo("f: Is a directory");
        assertThat(FailureText.of(new ConnectException("Connection refused"))).isEqualTo("Connection refused");
        assertThat(FailureText.of(new ClosedChannelException())).isEqualTo("ClosedChannelException");
        assertThat(FailureText.of(new IllegalStateException("the reason"))).isEqualTo("the reason");
        assertThat(FailureText.of(new OutOfMemoryError())).isEqualTo("OutOfMemoryError");
    }
}
