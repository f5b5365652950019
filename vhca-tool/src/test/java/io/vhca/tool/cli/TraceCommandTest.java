package io.vhca.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a trace goes into is there as a whole, or not at all. */
class TraceCommandTest {
    @Test
    void whatCannotBeWrittenToItsEndIsDeleted(@TempDir final Path directory) {
        final Path target = directory.resolve("saved");
        assertThatThrownBy(() -> TraceCommand.create(target, file -> {
                    file.write(ByteBuffer.allocate(10));
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining(target + " was not written: ")
                .hasMessageContaining("No space left");
        assertThat(target).doesNotExist();
    }

    @Test
    void whatIsThereAlreadyStays(@TempDir final Path directory) throws IOException {
        final Path target = Files.writeString(directory.resolve("saved"), "mine");
        assertThatThrownBy(() -> TraceCommand.create(target, file -> file.write(ByteBuffer.allocate(10))))
                .hasMessage(target + " is there already; name another file");
        assertThat(target).hasContent("mine");
    }
}
