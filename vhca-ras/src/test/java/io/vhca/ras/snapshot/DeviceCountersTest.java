package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters of devices that the kernel knows, in a directory made up like its own. */
class DeviceCountersTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path devices;

    private static Report told(final Path devices, final String device) {
        final Report.Builder builder = new Report.Builder();
        DeviceCounters.tell(devices, device, builder);
        return builder.build();
    }

    @Test
    void bothKindsAreRead() throws IOException {
        final Path port = Files.createDirectories(devices.resolve("rxe0/ports/1"));
        Files.createDirectories(port.resolve("counters"));
        Files.writeString(port.resolve("counters/port_xmit_data"), "12\n");
        Files.createDirectories(port.resolve("hw_counters/directory"));
        Files.writeString(port.resolve("hw_counters/sent_pkts"), "7\n");
        final Report report = told(devices, "rxe0");
        assertThat(report.sections()).hasSize(1);
        assertThat(report.section("counters of rxe0").get("port_xmit_data")).isEqualTo("12");
        assertThat(report.section("counters of rxe0").get("sent_pkts")).isEqualTo("7");
        assertThat(report.section("counters of rxe0").get("directory")).startsWith("cannot be read");
    }

    @Test
    void aGroupThatIsNotThereIsSaid() throws IOException {
        Files.createDirectories(devices.resolve("rxe0/ports/1"));
        assertThat(told(devices, "rxe0").section("counters of rxe0").get("hw_counters")).startsWith("cannot be read");
    }

    @Test
    void aDeviceThatTheKernelDoesNotKnowHasNone() {
        for (final String device : List.of("soft0", "../rxe0", "")) {
            assertThat(told(devices, device).sections()).isEmpty();
        }
    }
}
