package io.vhca.tool.cli;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vhca.ras.metrics.BondMetrics;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.ListenAddress;
import io.vhca.tool.metrics.MetricsOutput;
import io.vhca.tool.metrics.MetricsServer;
import io.vhca.tool.rdp.RdpMetrics;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vhca metrics}: running bonds for Prometheus. */
@Command(
        name = "metrics",
        mixinStandardHelpOptions = true,
        description = {
            "Tells Prometheus of the bonds and datagram sockets of running applications.",
            "",
            "Reads the status files of this user's bonds, as `vhca status` does; applications",
            "carry nothing of it. Prints the text format once, or",
            "  --file    replaces a file, for the textfile collector of node_exporter",
            "  --listen  serves /metrics until interrupted; every request reads anew",
            "",
            "Names begin with vhca_bond_; labels are bond and pid, and member, type and recovery,",
            "phase, or reporter. Queue pairs are counted by state, never listed. Those of datagram sockets",
            "begin with vhca_rdp_; labels are device and pid.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 done, also where no bond is open; 1 done, but for a bond or a driver whose",
            "status cannot be read; 2 wrong usage; 3 the file or the address cannot be had.",
            "",
            "Examples:",
            "  vhca metrics --file /var/lib/node_exporter/vhca.prom",
            "  vhca metrics --listen 9555"
        })
public final class MetricsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @ArgGroup
    private Target target = new Target();

    /** Where it goes: one of them, or neither. */
    private static final class Target {
        @Option(
                names = {"-f", "--file"},
                paramLabel = "FILE",
                description = "replace this file, as a whole")
        private @Nullable Path file;

        @Option(
                names = {"-l", "--listen"},
                paramLabel = "[HOST:]PORT",
                converter = ListenAddress.class,
                description = {
                    "serve http://HOST:PORT/metrics, at 127.0.0.1 where no host is named;",
                    "port 0 takes a free one"
                })
        private @Nullable InetSocketAddress listen;
    }

    @Override
    public Integer call() throws InterruptedException {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        if (target.file != null) {
            MetricsOutput.replace(target.file, now(unreadable));
        } else if (target.listen != null) {
            serve(target.listen);
        } else {
            spec.commandLine().getOut().print(MetricsOutput.text(now(unreadable)));
            spec.commandLine().getOut().flush();
        }
        return unreadable.exitCode();
    }

    private MetricSnapshots now(final UnreadableFiles unreadable) {
        final List<MetricSnapshot> metrics = new ArrayList<>();
        BondMetrics.of(BondStatuses.all("", unreadable).stream()
                        .map(BondStatuses.Found::bond)
                        .toList())
                .forEach(metrics::add);
        RdpMetrics.of(drivers(unreadable)).forEach(metrics::add);
        return new MetricSnapshots(metrics);
    }

    private static List<DriverStatus> drivers(final UnreadableFiles unreadable) {
        try {
            return StatusFiles.read(unreadable);
        } catch (final IOException e) {
            throw new EnvironmentException("the drivers of datagram sockets cannot be read: " + e.getMessage(), e);
        }
    }

    private void serve(final InetSocketAddress address) throws InterruptedException {
        final String host = address.getHostString();
        try (MetricsServer server = MetricsOutput.serve(
                address, () -> now(new UnreadableFiles(spec.commandLine().getErr())))) {
            spec.commandLine()
                    .getOut()
                    .println("serving http://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                            + server.port() + "/metrics");
            spec.commandLine().getOut().flush();
            Thread.currentThread().join();
        }
    }
}
