package io.vhca.tool.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
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
}
