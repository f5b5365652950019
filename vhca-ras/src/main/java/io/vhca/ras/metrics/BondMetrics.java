package io.vhca.ras.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import io.prometheus.metrics.model.snapshots.Unit;
import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus.ErrorRow;
import io.vhca.ras.status.BondStatus.FailoverRow;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.SeenBond;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Makes metrics of what bonds show. Each has the labels bond and pid; queue pairs are counted, not listed: there may be
 * thousands. Pure.
 */
public final class BondMetrics {
    private static final double MS_A_SECOND = 1e3;
    private static final double NS_A_SECOND = 1e9;
    private static final String PREFIX = "vhca_bond_";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Set<String> OWN_COUNTERS = Set.of(PREFIX + "errors");

    private final Map<Labels, SeenBond> seen = new LinkedHashMap<>();
    private final List<BondStatus> bonds;
    private final List<MetricSnapshot> metrics = new ArrayList<>();

    /** One of each name and process: what somebody copied is not told twice. */
    private BondMetrics(final List<SeenBond> bonds) {
        bonds.forEach(bond -> seen.putIfAbsent(labels(bond.status()), bond));
        this.bonds = seen.values().stream().map(SeenBond::status).toList();
    }

    /** The metrics of these bonds; those of processes that had ended are down. */
    public static MetricSnapshots of(final List<SeenBond> bonds) {
        final BondMetrics all = new BondMetrics(bonds);
        if (!bonds.isEmpty()) {
            all.ofBonds();
            all.ofMembers();
            all.ofQueuePairs();
            all.ofFailovers();
            all.ofHealth();
            all.ofCounters();
        }
        return new MetricSnapshots(all.metrics);
    }

    private static Labels labels(final BondStatus bond, final String... more) {
        return Labels.of("bond", bond.name(), "pid", String.valueOf(bond.pid())).merge(Labels.of(more));
    }

    private void ofBonds() {
        final InfoSnapshot.Builder info =
                InfoSnapshot.builder().name("vhca_bond").help("Mode, primary and active member of a bond.");
        for (final BondStatus bond : bonds) {
            info.dataPoint(InfoDataPointSnapshot.builder()
                    .labels(labels(
                            bond, "mode", bond.mode(), "primary", bond.primary(), "active_slave", bond.active()))
                    .build());
        }
        metrics.add(info.build());
        gauge(
                "up", "Whether its process lives and min_links members are up.",
                bond -> seen(bond).isAlive() && areEnoughUp(bond) ? 1 : 0);
        gauge("min_links", "How many members must be up.", BondStatus::minLinks);
        seconds("start_time", "When it was opened, since 1970.", bond -> bond.startedMs() / MS_A_SECOND);
        seconds("published_time", "When it wrote its status last, since 1970.", bond ->
                bond.publishedMs() / MS_A_SECOND);
    }

    private SeenBond seen(final BondStatus bond) {
        return Objects.requireNonNull(seen.get(labels(bond)));
    }

    private static boolean areEnoughUp(final BondStatus bond) {
        return bond.members().stream().filter(MemberRow::up).count() >= bond.minLinks();
    }

    private void ofMembers() {
        member("member_up", "Whether the member carries traffic.", row -> row.up() ? 1 : 0);
        member("member_drained", "Whether an operator keeps queue pairs off it.", row -> row.drained() ? 1 : 0);
        member("member_active", "Whether it is the active member.", row -> row.active() ? 1 : 0);
        member("member_queue_pairs", "Connected queue pairs that live on it.", MemberRow::queuePairs);
        final CounterSnapshot.Builder failures = CounterSnapshot.builder()
                .name("vhca_bond_member_link_failures")
                .help("How often its link went down or its device died.");
        eachMember((bond, row) -> failures.dataPoint(CounterDataPointSnapshot.builder()
                .labels(labels(bond, "member", row.name()))
                .value(row.failures())
                .build()));
        metrics.add(failures.build());
    }

    private void ofQueuePairs() {
        final GaugeSnapshot.Builder states = GaugeSnapshot.builder()
                .name("vhca_bond_queue_pairs")
                .help("Queue pairs by type and by what their recovery does; CONNECTED is healthy, UD has NONE.");
        for (final BondStatus bond : bonds) {
            final Map<Labels, Long> byState = bond.queuePairs().stream()
                    .collect(Collectors.groupingBy(
                            qp -> labels(bond, "type", qp.type().name(), "recovery", recovery(qp)),
                            TreeMap::new,
                            Collectors.counting()));
            byState.forEach((labels, count) -> states.dataPoint(point(labels, count)));
        }
        metrics.add(states.build());
    }

    private static String recovery(final QpRow qp) {
        return qp.recovery() == null ? "NONE" : qp.recovery().name();
    }

    private void ofFailovers() {
        final GaugeSnapshot.Builder last = GaugeSnapshot.builder()
                .name("vhca_bond_last_failover_seconds")
                .unit(Unit.SECONDS)
                .help("How long the phases of the last recovery took.");
        for (final BondStatus bond : bonds) {
            if (!bond.failovers().isEmpty()) {
                final FailoverRow row = bond.failovers().getLast();
                last.dataPoint(point(labels(bond, "phase", "fence"), row.fenceNs() / NS_A_SECOND))
                        .dataPoint(point(labels(bond, "phase", "connect"), row.connectNs() / NS_A_SECOND))
                        .dataPoint(point(labels(bond, "phase", "replay"), row.replayNs() / NS_A_SECOND));
            }
        }
        metrics.add(last.build());
    }

    /** What {@code vhca health} says. */
    private void ofHealth() {
        final GaugeSnapshot.Builder states = GaugeSnapshot.builder()
                .name("vhca_bond_health")
                .help("Whether a part of the bond is well, as vhca health shows it.");
        final CounterSnapshot.Builder errors = CounterSnapshot.builder()
                .name("vhca_bond_health_errors")
                .help("How many errors a reporter of vhca health has.");
        final CounterSnapshot.Builder recoveries = CounterSnapshot.builder()
                .name("vhca_bond_health_recoveries")
                .help("After how many of them it was well again.");
        final GaugeSnapshot.Builder dumps = GaugeSnapshot.builder()
                .name("vhca_bond_health_last_dump_seconds")
                .unit(Unit.SECONDS)
                .help("When a reporter of vhca health wrote a dump last, since 1970; 0 for never.");
        final GaugeSnapshot.Builder graces = GaugeSnapshot.builder()
                .name("vhca_bond_health_grace_period_seconds")
                .unit(Unit.SECONDS)
                .help("From one thing that a reporter does by itself to the next.");
        final GaugeSnapshot.Builder recovering = GaugeSnapshot.builder()
                .name("vhca_bond_health_auto_recover")
                .help("Whether a reporter recovers by itself.");
        final GaugeSnapshot.Builder dumping = GaugeSnapshot.builder()
                .name("vhca_bond_health_auto_dump")
                .help("Whether a reporter writes a dump by itself.");
        for (final BondStatus bond : bonds) {
            final SeenBond then = seen(bond);
            for (final BondHealth.Reporter one : BondHealth.of(bond, then.isAlive(), then.seenMs())) {
                final Labels labels = labels(bond, "reporter", one.name());
                states.dataPoint(point(labels, one.findings().isEmpty() ? 1 : 0));
                errors.dataPoint(
                        CounterDataPointSnapshot.builder().labels(labels).value(one.errors()).build());
                recoveries.dataPoint(
                        CounterDataPointSnapshot.builder().labels(labels).value(one.recoveries()).build());
                dumps.dataPoint(point(labels, one.dumpedMs() / MS_A_SECOND));
                graces.dataPoint(point(labels, one.setting().graceMs() / MS_A_SECOND));
                recovering.dataPoint(point(labels, one.setting().isToRecover() ? 1 : 0));
                dumping.dataPoint(point(labels, one.setting().isToDump() ? 1 : 0));
            }
        }
        List.of(dumps, graces, recovering, dumping).forEach(gauge -> metrics.add(gauge.build()));
        metrics.add(states.build());
        metrics.add(errors.build());
        metrics.add(recoveries.build());
    }

    /** Whatever the bonds count, by the names that they give it. */
    private void ofCounters() {
        final Set<String> names = new LinkedHashSet<>();
        bonds.forEach(bond -> names.addAll(bond.counters().keySet()));
        // Told above, by reporter.
        names.removeIf(name -> name.startsWith(BondHealth.COUNTERS));
        final Set<String> taken = new HashSet<>(OWN_COUNTERS);
        metrics.forEach(metric -> taken.add(metric.getMetadata().getPrometheusName()));
        for (final String name : names) {
            // A name that no bond has given is not passed on: it could be no metric's, or another one's.
            if (NAME.matcher(name).matches()
                    && PrometheusNaming.isValidMetricName(PREFIX + name)
                    && taken.add(PREFIX + name)) {
                counter(name, "The bond's counter " + name + ", as vhca stat shows it.", bond ->
                        bond.counters().getOrDefault(name, 0L));
            }
        }
        counter("errors", "Errors that it met and went on from.", bond ->
                bond.errors().stream().mapToLong(ErrorRow::count).sum());
    }

    private void counter(final String name, final String help, final ToDoubleFunction<BondStatus> value) {
        final CounterSnapshot.Builder counter =
                CounterSnapshot.builder().name("vhca_bond_" + name).help(help);
        for (final BondStatus bond : bonds) {
            counter.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(labels(bond))
                    .value(value.applyAsDouble(bond))
                    .build());
        }
        metrics.add(counter.build());
    }

    private void gauge(final String name, final String help, final ToDoubleFunction<BondStatus> value) {
        final GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name("vhca_bond_" + name).help(help);
        bonds.forEach(bond -> gauge.dataPoint(point(labels(bond), value.applyAsDouble(bond))));
        metrics.add(gauge.build());
    }

    private void seconds(final String name, final String help, final ToDoubleFunction<BondStatus> value) {
        final GaugeSnapshot.Builder gauge = GaugeSnapshot.builder()
                .name("vhca_bond_" + name + "_seconds")
                .unit(Unit.SECONDS)
                .help(help);
        bonds.forEach(bond -> gauge.dataPoint(point(labels(bond), value.applyAsDouble(bond))));
        metrics.add(gauge.build());
    }

    private void member(final String name, final String help, final ToDoubleFunction<MemberRow> value) {
        final GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name("vhca_bond_" + name).help(help);
        eachMember((bond, row) ->
                gauge.dataPoint(point(labels(bond, "member", row.name()), value.applyAsDouble(row))));
        metrics.add(gauge.build());
    }

    private void eachMember(final BiConsumer<BondStatus, MemberRow> what) {
        bonds.forEach(bond -> bond.members().forEach(row -> what.accept(bond, row)));
    }

    private static GaugeDataPointSnapshot point(final Labels labels, final double value) {
        return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
    }
}
