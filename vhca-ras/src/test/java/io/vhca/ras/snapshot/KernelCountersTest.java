package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KernelCountersTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path devices;

    private static List<Report.Section> await(final KernelCounters counters) {
        List<Report.Section> found = counters.read();
        while (found.isEmpty()) {
            Thread.yield();
            found = counters.read();
        }
        return found;
    }

    @Test
    void whatIsAskedForIsThereOnceItIsRead() throws IOException {
        final Path group = Files.createDirectories(devices.resolve("rxe0/ports/1/counters"));
        Files.writeString(group.resolve("port_xmit_data"), "12\n");
        try (KernelCounters counters = new KernelCounters(devices)) {
            assertThat(counters.read()).isEmpty();
            for (int i = 0; i < 2; i++) {
                counters.ask(List.of("soft0", "rxe0"));
                counters.ask(List.of("another"));
                assertThat(await(counters)).singleElement().satisfies(section -> {
                    assertThat(section.title()).isEqualTo("counters of rxe0");
                    assertThat(section.get("port_xmit_data")).isEqualTo("12");
                });
                assertThat(counters.read()).as("once each").isEmpty();
            }
        }
    }

    @Test
    void afterAQuestionThatFailsThereAreOthers() throws IOException {
        final Path group = Files.createDirectories(devices.resolve("rxe0/ports/1/counters"));
        Files.writeString(group.resolve("port_xmit_data"), "12\n");
        try (KernelCounters counters = new KernelCounters(devices)) {
            counters.ask(List.of("a name that is no path's: \0"));
            List<Report.Section> found = counters.read();
            while (found.isEmpty()) {
                Thread.yield();
                counters.ask(List.of("rxe0"));
                found = counters.read();
            }
            assertThat(found).singleElement().satisfies(section ->
                    assertThat(section.get("port_xmit_data")).isEqualTo("12"));
        }
    }
}
