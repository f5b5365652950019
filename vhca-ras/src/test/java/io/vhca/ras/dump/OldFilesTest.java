package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.snapshot.Report;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that versions before this one have written are read; each is as it was written then. */
class OldFilesTest {
    private static Path file(final String name) throws Exception {
        final URI uri = Objects.requireNonNull(OldFilesTest.class.getResource("/io/vhca/ras/old/" + name)).toURI();
        return Path.of(uri);
    }

    /** Before dumps had native memory they were reports alone. */
    @Test
    void aDumpWithoutNativeMemory() throws Exception {
        try (DumpFile dump = DumpFile.open(file("bond-x.4711.dump"))) {
            final Report report = dump.report();
            assertThat(report.text()).isEqualTo(Files.readString(file("bond-x.4711.dump")));
            assertThat(report.section("queue pairs").get("qp:0x1")).startsWith("RC RTS WAITING, posted 2");
            assertThat(report.of("qp 0x1").section("qp:0x1 send queue").get("#1"))
                    .isEqualTo("at the hardware, SEND wr_id=0x10, 13 bytes in 1 elements, signaled");
            assertThat(HexDump.of(dump, report)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qp:0x1", "qp 0x1"})
    void aSnapshotIsAllOfItsQueuePair(final String object) throws Exception {
        try (DumpFile snapshot = DumpFile.open(file("bond-x.4711.3.snapshot"))) {
            assertThat(snapshot.report().section("snapshot").get("code")).isEqualTo("VHCA-0001");
            assertThat(snapshot.report().of(object)).isEqualTo(snapshot.report());
            assertThat(snapshot.report().of("qp 0x11").section("send queue").facts()).isEmpty();
        }
    }
}
