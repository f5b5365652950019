package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.SeenBond;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTurnTest {
    private static final long PID = 7;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private BondStatuses.Found bond() throws IOException {
        final Path status = directory.resolve("bond0." + PID + ".status");
        return new BondStatuses.Found(
                Files.exists(status) ? status : Files.createFile(status),
                new SeenBond(
                        new BondStatus(
                                "bond0", PID, 0, "", 0, 0, "", "", "", "", 0, 0, 0, 0, List.of(), List.of(), 0,
                                List.of(), 0, Map.of(), List.of(), List.of(), List.of()),
                        true, 0));
    }

    private Path trace() throws IOException {
        return Files.createFile(directory.resolve("bond0." + PID + ".trace"));
    }

    /** With the group's access it may be locked by whoever reads it. */
    @Test
    void whoMayReadTheStatusKeepsNobodyFromItsTurn() throws IOException {
        trace();
        try (FileChannel reader = FileChannel.open(bond().file(), StandardOpenOption.READ);
                FileLock _ = reader.lock(0, Long.MAX_VALUE, true)) {
            assertThat(ReportTurn.DUMP.run(bond(), () -> 5)).isEqualTo(5);
        }
    }

    @Test
    void oneOfAKindIsRunAtATime() throws IOException {
        final Path trace = trace();
        try (FileChannel other = FileChannel.open(trace, StandardOpenOption.WRITE);
                FileLock _ = other.lock(ReportTurn.MEMORY.ordinal(), 1, false)) {
            assertThatThrownBy(() -> ReportTurn.MEMORY.run(bond(), () -> 5))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessage("another vhca memory of bond0 is under way; try again when it is done");
            assertThat(ReportTurn.THREADS.run(bond(), () -> 6)).isEqualTo(6);
        }
    }

    @Test
    void whereNothingIsTracedItIsTheStatusFile() throws IOException {
        try (FileChannel other = FileChannel.open(bond().file(), StandardOpenOption.WRITE);
                FileLock _ = other.lock()) {
            assertThatThrownBy(() -> ReportTurn.DUMP.run(bond(), () -> 5)).hasMessageContaining("is under way");
        }
        assertThat(ReportTurn.DUMP.run(bond(), () -> 5)).isEqualTo(5);
    }
}
