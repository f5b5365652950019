package io.vhca.tool.rdp;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.status.DriverStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Makes metrics of what drivers of datagram sockets count, with the labels device and pid. Pure. */
public final class RdpMetrics {
    private static final String PREFIX = "vhca_rdp_";

    private RdpMetrics() {}

    /** The metrics of these drivers; none where there is none. */
    public static MetricSnapshots of(final List<DriverStatus> all) {
        final List<DriverStatus> drivers = distinct(all);
        final List<MetricSnapshot> metrics = new ArrayList<>();
        for (final Counter counter : drivers.isEmpty() ? new Counter[0] : Counter.values()) {
            metrics.add(counter.isGauge() ? gauge(counter, drivers) : counter(counter, drivers));
        }
        return new MetricSnapshots(metrics);
    }

    /** One of each device and process: what somebody copied is not told twice. */
    private static List<DriverStatus> distinct(final List<DriverStatus> drivers) {
        final Set<Labels> seen = new HashSet<>();
        return drivers.stream().filter(driver -> seen.add(labels(driver))).toList();
    }

    private static String help(final Counter counter) {
        return "Datagram sockets: " + counter.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ".";
    }

    private static Labels labels(final DriverStatus driver) {
        return Labels.of("device", driver.device(), "pid", String.valueOf(driver.pid()));
    }

    private static MetricSnapshot counter(final Counter counter, final List<DriverStatus> drivers) {
        final CounterSnapshot.Builder metric =
                CounterSnapshot.builder().name(PREFIX + DriverStatus.name(counter)).help(help(counter));
        for (final DriverStatus driver : drivers) {
            metric.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(labels(driver))
                    .value(driver.counters().getOrDefault(counter, 0L))
                    .build());
        }
        return metric.build();
    }

    private static MetricSnapshot gauge(final Counter counter, final List<DriverStatus> drivers) {
        final GaugeSnapshot.Builder metric =
                GaugeSnapshot.builder().name(PREFIX + DriverStatus.name(counter)).help(help(counter));
        for (final DriverStatus driver : drivers) {
            metric.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(labels(driver))
                    .value(driver.counters().getOrDefault(counter, 0L))
                    .build());
        }
        return metric.build();
    }
}
