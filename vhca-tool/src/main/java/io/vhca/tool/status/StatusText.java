package io.vhca.tool.status;

import io.vhca.ras.error.ErrorCode;
import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.ErrorRow;
import io.vhca.ras.status.BondStatus.FailoverRow;
import io.vhca.ras.status.BondStatus.FaultRow;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.tool.console.TextTable;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** A bond's status as {@code /proc/net/bonding} would show it, its counters and its errors, as text. Pure. */
public final class StatusText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final double NS_A_MS = 1e6;
    private static final Map<String, String> MODE_WORDS = Map.of(
            "active-backup", "fault-tolerance (active-backup)",
            "balance-rr", "load balancing (round-robin)",
            "balance-xor", "load balancing (xor)",
            "balance-tlb", "transmit load balancing");

    private StatusText() {}

    /**
     * The whole of it.
     *
     * @param maxQps queue pairs to list; the rest is counted
     */
    public static String status(final BondStatus bond, final boolean isAlive, final ZoneId zone, final int maxQps) {
        final StringBuilder text = new StringBuilder();
        line(text, "vHCA bond " + bond.name() + ", process " + bond.pid()
                + (isAlive ? "" : ", which has ended without closing it")
                + ", open since " + time(bond.startedMs(), zone));
        line(text, "Seen: " + time(bond.publishedMs(), zone));
        text.append('\n');
        line(text, "Bonding Mode: " + MODE_WORDS.getOrDefault(bond.mode(), bond.mode()));
        line(text, "Primary Slave: " + (bond.primary().isEmpty() ? "None" : bond.primary()
                + " (primary_reselect " + bond.reselect() + ")"));
        if (bond.mode().equals("active-backup")) {
            line(text, "Currently Active Slave: " + (bond.active().isEmpty() ? "None" : bond.active()));
        }
        line(text, "MII Status: "
                + upOrDown(bond.members().stream().filter(MemberRow::up).count() >= bond.minLinks()));
        line(text, "MII Polling Interval (ms): " + bond.miimonMs());
        line(text, "Up Delay (ms): " + bond.updelayMs());
        line(text, "Down Delay (ms): " + bond.downdelayMs());
        line(text, "Min links: " + bond.minLinks());
        for (final MemberRow member : bond.members()) {
            text.append('\n');
            line(text, "Slave Interface: " + member.name());
            final String use = member.leaving() ? " (being removed)" : member.drained() ? " (drained)" : "";
            line(text, "MII Status: " + upOrDown(member.up()) + use);
            line(text, "Link Failure Count: " + member.failures());
            line(text, "Address: " + member.address());
            line(text, "Queue Pairs: " + member.queuePairs());
        }
        journal(text, bond.counters());
        text.append('\n');
        queuePairs(text, bond, maxQps);
        failovers(text, bond, zone);
        return text.toString();
    }

    /** Only where there is something to say. */
    private static void journal(final StringBuilder text, final Map<String, Long> counters) {
        final long errors = counters.getOrDefault("journal_errors", 0L);
        final long lost = counters.getOrDefault("journal_lost", 0L);
        if (errors + lost > 0) {
            line(text, "\nJournal: could not be written " + errors + (errors == 1 ? " time, " : " times, ") + lost
                    + " events lost; `vhca errors` says why");
        }
    }

    private static void queuePairs(final StringBuilder text, final BondStatus bond, final int maxQps) {
        line(text, "Queue pairs: " + bond.qpCount());
        if (bond.queuePairs().isEmpty() || maxQps == 0) {
            return;
        }
        final TextTable table =
                new TextTable("qpn", "type", "state", "recovery", "epoch", "path", "posted", "completed", "received");
        bond.queuePairs().stream().limit(maxQps).forEach(qp -> table.row(
                String.valueOf(qp.qpNum()),
                String.valueOf(qp.type()),
                String.valueOf(qp.state()),
                qp.recovery() == null ? "-" : qp.recovery().toString(),
                String.valueOf(qp.epoch()),
                path(qp),
                String.valueOf(qp.posted()),
                String.valueOf(qp.completed()),
                String.valueOf(qp.received())));
        text.append(table.render());
        final long shown = Math.min(maxQps, bond.queuePairs().size());
        if (shown < bond.qpCount()) {
            line(text, "and " + (bond.qpCount() - shown) + " more");
        }
    }

    /** All options that the bond runs with, as in a configuration. */
    public static String options(final BondStatus bond) {
        final StringBuilder text = new StringBuilder();
        line(text, "[" + bond.name() + "]");
        bond.options().forEach(option -> line(text, option));
        return text.toString();
    }

    private static String path(final QpRow qp) {
        if (qp.member().isEmpty()) {
            return "-";
        }
        return qp.remote().isEmpty() ? qp.member() : qp.member() + " -> " + qp.remote();
    }

    private static void failovers(final StringBuilder text, final BondStatus bond, final ZoneId zone) {
        text.append('\n');
        line(text, "Failovers: " + bond.failoverCount());
        if (bond.failovers().isEmpty()) {
            return;
        }
        final TextTable table = new TextTable(
                "ended", "qpn", "epoch", "noticed by", "from", "to", "fence ms", "connect ms", "replay ms",
                "negotiated", "replayed");
        for (final FailoverRow row : bond.failovers()) {
            table.row(
                    row.endedMs() == 0 ? "-" : time(row.endedMs(), zone),
                    String.valueOf(row.qpNum()),
                    String.valueOf(row.epoch()),
                    row.reason(),
                    row.from(),
                    row.error().isEmpty() ? row.to() : row.error(),
                    ms(row.fenceNs()),
                    ms(row.connectNs()),
                    ms(row.replayNs()),
                    String.valueOf(row.negotiated()),
                    String.valueOf(row.replayed()));
        }
        text.append(table.render());
    }

    /** The counters, one a line. */
    public static String counters(final BondStatus bond) {
        final TextTable table = new TextTable(bond.name(), "count");
        bond.counters().forEach((name, value) -> {
            // Those are of vhca health.
            if (!name.startsWith(BondHealth.COUNTERS)) {
                table.row(name, String.valueOf(value));
            }
        });
        return table.render();
    }

    /** Distinct errors with how often and when; {@code withStacks} also where. */
    public static String errors(final BondStatus bond, final ZoneId zone, final boolean withStacks) {
        final long leftOut = bond.counters().getOrDefault("errors_left_out", 0L);
        if (bond.errors().isEmpty() && bond.faults().isEmpty() && leftOut == 0) {
            return bond.name() + ": no errors\n";
        }
        final StringBuilder text = new StringBuilder();
        for (final ErrorRow error : bond.errors()) {
            final String first = time(error.firstMs(), zone);
            final ErrorCode code = error.code();
            line(text, bond.name() + ", process " + bond.pid()
                    + (bond.program().isEmpty() ? "" : " (" + bond.program() + ")") + ": "
                    + (error.count() == 1
                            ? "once, at " + first
                            : error.count() + " times from " + first + " to " + time(error.lastMs(), zone)));
            line(text, withStacks ? error.text().strip() : "  " + error.text().lines().findFirst().orElse(""));
            line(text, "  " + code.text() + ": " + code.what() + "\n  why, probably: " + code.probableCause()
                    + "\n  what to do: " + code.action());
        }
        if (leftOut > 0) {
            line(text, bond.name() + ": the error log is full, and " + leftOut
                    + (leftOut == 1 ? " error is" : " errors are")
                    + " not in it; it is empty when the bond opens anew");
        }
        for (final FaultRow fault : bond.faults()) {
            line(text, bond.name() + ": " + fault.member() + " counts " + fault.name() + " " + fault.count());
            line(text, "  " + fault.meaning());
        }
        return text.toString();
    }

    private static String time(final long epochMs, final ZoneId zone) {
        return TIME.format(Instant.ofEpochMilli(epochMs).atZone(zone));
    }

    private static String ms(final long ns) {
        return String.format(Locale.ROOT, "%.1f", ns / NS_A_MS);
    }

    private static String upOrDown(final boolean isUp) {
        return isUp ? "up" : "down";
    }

    private static void line(final StringBuilder text, final String line) {
        text.append(line).append('\n');
    }
}
