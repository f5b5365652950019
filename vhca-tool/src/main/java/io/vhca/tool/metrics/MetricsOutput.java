package io.vhca.tool.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vhca.tool.console.EnvironmentException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The ways to a Prometheus server: text, a file that is replaced as a whole, or an HTTP server. */
public final class MetricsOutput {
    /** How long a request may take to come, and its answer to be taken. */
    static final int MAX_SECONDS = 5;

    /** One more is closed. */
    static final int MAX_CONNECTIONS = 64;

    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", String.valueOf(MAX_SECONDS),
            "sun.net.httpserver.maxRspTime", String.valueOf(MAX_SECONDS),
            "sun.net.httpserver.idleInterval", String.valueOf(MAX_SECONDS),
            "jdk.httpserver.maxConnections", String.valueOf(MAX_CONNECTIONS));

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
            try {
                Files.writeString(next, text(metrics));
                Files.move(next, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
        } catch (final IOException e) {
            throw new EnvironmentException(file + " cannot be written: " + e.getMessage()
                    + "; name a file in a directory that is there and that this user may write", e);
        }
    }

    /**
     * Serves {@code /metrics} until the server is closed. Each connection has a virtual thread, so that one that says
     * half a request keeps nobody waiting; a request and its answer take {@link #MAX_SECONDS} each at most, and no more
     * than {@link #MAX_CONNECTIONS} are open. The JDK's server takes these limits when it is used first.
     *
     * @param metrics asked at each request, one at a time, by a thread of the server
     */
    public static HTTPServer serve(final InetSocketAddress address, final Supplier<MetricSnapshots> metrics) {
        LIMITS.forEach(System::setProperty);
        final PrometheusRegistry registry = new PrometheusRegistry();
        final ReentrantLock one = new ReentrantLock();
        registry.register((MultiCollector) () -> {
            one.lock();
            try {
                return metrics.get();
            } finally {
                one.unlock();
            }
        });
        try {
            return HTTPServer.builder()
                    .inetAddress(address.getAddress())
                    .port(address.getPort())
                    .executorService(Executors.newThreadPerTaskExecutor(
                            Thread.ofVirtual().name("vhca-metrics-", 0).factory()))
                    .registry(registry)
                    .buildAndStart();
        } catch (final IOException e) {
            throw new EnvironmentException(
                    address + " cannot be listened on: " + e.getMessage() + "; name another by --listen", e);
        }
    }
}
