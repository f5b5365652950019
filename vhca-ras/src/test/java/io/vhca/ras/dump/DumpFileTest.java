package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DumpFileTest {
    private static final int RAW = 100;

    private static Path write(final Path directory, final Report report) throws IOException {
        final Path file = directory.resolve("own.dump");
        try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            DumpFile.write(to, report, List.of(MemorySegment.ofArray(new byte[RAW])));
        }
        return file;
    }

    private static void cut(final Path file, final long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    /** Its last value is no other one, and what it does not have is not left out without a word. */
    @Test
    void oneThatIsCutShortIsNotTakenForAWholeOne(@TempDir final Path directory) throws IOException {
        final Report report =
                new Report(List.of(new Report.Section("dump", List.of(new Report.Fact("process", "4711")))));
        final int text = report.text().length();
        final Path file = write(directory, report);
        final long whole = Files.size(file);
        DumpFile.open(file).close();

        cut(file, whole - 1);
        assertThatThrownBy(() -> DumpFile.open(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + " is cut short: " + (whole - 1) + " of " + whole
                        + " bytes are there; copy it again");
        assertThat(ReportFiles.read(file)).isEqualTo(report);

        cut(file, DumpHeader.BYTES + text - 3);
        assertThatThrownBy(() -> DumpFile.open(file)).isInstanceOf(IOException.class).hasMessageContaining("cut short");
        assertThatThrownBy(() -> ReportFiles.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + " is cut short: " + (text - 3) + " of " + text
                        + " bytes of its report are there; copy it again");
    }

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
