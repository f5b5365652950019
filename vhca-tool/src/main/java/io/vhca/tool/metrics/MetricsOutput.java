package io.vhca.tool.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vhca.api.FailureText;
import io.vhca.tool.console.EnvironmentException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** The ways to a Prometheus server: text, a file that is replaced as a whole, or an HTTP server. */
public final class MetricsOutput {
    private MetricsOutput() {}

    /** Text format 0.0.4, UTF-8. */
    public static String text(final MetricSnapshots metrics) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(bytes, metrics, EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (final IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /**
     * Replaces a file: a reader sees the old one or the new one, never half of one. Readable for others as this
     * process's umask says.
     */
    public static void replace(final Path file, final MetricSnapshots metrics) {
        final Path whole = file.toAbsolutePath();
        final Path next =
                whole.resolveSibling("." + whole.getFileName() + "." + ProcessHandle.current().pid());
        try {
            if (Files.isDirectory(whole)) {
                throw new FileSystemException(whole.toString(), null, "it is a directory");
            }
            // Of a device, such as /dev/null, a file would be left in its place.
            if (Files.exists(whole) && !Files.isRegularFile(whole)) {
                throw new FileSystemException(whole.toString(), null, "it is no regular file");
            }
            try {
                // A link that another user has put there leads to a file that is not to be written.
                Files.deleteIfExists(next);
                Files.writeString(next, text(metrics), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Files.move(next, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
        } catch (final IOException e) {
            throw new EnvironmentException(file + " cannot be written: " + FailureText.of(e)
                    + "; name a file in a directory that is there and that this user may write", e);
        }
    }

    /**
     * Serves {@code /metrics} until the server is closed.
     *
     * @param metrics asked at each request, one at a time, by a thread of the server
     */
    public static MetricsServer serve(final InetSocketAddress address, final Supplier<MetricSnapshots> metrics) {
        try {
            return new MetricsServer(address, metrics);
        } catch (final IOException e) {
            throw new EnvironmentException(
                    address + " cannot be listened on: " + e.getMessage() + "; name another by --listen", e);
        }
    }
}
