package io.vhca.tool.metrics;

import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.exporter.httpserver.DefaultHandler;
import io.prometheus.metrics.exporter.httpserver.HealthyHandler;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} until it is closed; owns its port and its threads. Each connection has a virtual thread, so
 * that one that says half a request keeps nobody waiting; a request and its answer take {@link #MAX_SECONDS} each at
 * most, and no more than {@link #MAX_CONNECTIONS} are open. The JDK's server takes these limits when it is used first.
 */
public final class MetricsServer implements AutoCloseable {
    /** How long a request may take to come, and its answer to be taken. */
    static final int MAX_SECONDS = 5;

    /** One more is closed. */
    static final int MAX_CONNECTIONS = 64;

    /**
     * Those that the kernel has accepted and the server has not, as many as it may have open: where this is full the
     * kernel drops what a client begins with, who tries again after a second, and then after two.
     */
    private static final int BACKLOG = MAX_CONNECTIONS;

    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", String.valueOf(MAX_SECONDS),
            "sun.net.httpserver.maxRspTime", String.valueOf(MAX_SECONDS),
            "sun.net.httpserver.idleInterval", String.valueOf(MAX_SECONDS),
            "jdk.httpserver.maxConnections", String.valueOf(MAX_CONNECTIONS));

    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("vhca-metrics-", 0).factory());

    /** @param metrics asked at each request, one at a time, by a thread of the server */
    MetricsServer(final InetSocketAddress address, final Supplier<MetricSnapshots> metrics) throws IOException {
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
        server = HttpServer.create(address, BACKLOG);
        server.createContext("/", new DefaultHandler());
        server.createContext("/-/healthy", new HealthyHandler());
        server.createContext("/metrics", new MetricsHandler(registry));
        server.setExecutor(threads);
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Open connections end at once. Idempotent. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
