package io.vhca.tool.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsOutputTest {
    /** Whoever may write to the directory knows the name of what is written before it is moved. */
    @Test
    void aLinkThatWaitsThereIsNotFollowed(@TempDir final Path directory) throws IOException {
        final Path other = Files.writeString(directory.resolve("other"), "of somebody else");
        final Path file = directory.resolve("vhca.prom");
        Files.createSymbolicLink(
                directory.resolve(".vhca.prom." + ProcessHandle.current().pid()), other);
        MetricsOutput.replace(file, new MetricSnapshots());
        assertThat(other).hasContent("of somebody else");
        assertThat(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    /** It had become a file, for all who write to it. */
    @Test
    void aDeviceStaysWhatItIs(@TempDir final Path directory) throws IOException {
        final Path device = Files.createSymbolicLink(directory.resolve("device"), Path.of("/dev/null"));
        assertThatThrownBy(() -> MetricsOutput.replace(device, new MetricSnapshots()))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining(device + ": it is no regular file");
        assertThat(Files.isSymbolicLink(device)).isTrue();
    }
}
