package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.Report;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DumpFileTest {
    /** Its reader would take it for no dump at all. */
    @Test
    void oneThatNobodyCouldReadIsNotWritten(@TempDir final Path directory) throws IOException {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined();
                FileChannel holes = FileChannel.open(
                        directory.resolve("holes"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            final MemorySegment memory =
                    holes.map(FileChannel.MapMode.READ_WRITE, 0, DumpHeader.MOST_RAW + 1, arena);
            assertThatThrownBy(() -> DumpFile.write(
                            Channels.newChannel(written), new Report(List.of()), List.of(memory)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("larger than any that is read");
        }
        assertThat(written.size()).isZero();
    }
}
