package io.vhca.ras.snapshot;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.bond.BondAdmin;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.trace.TraceExcerpt;
import io.vhca.recovery.RecoveryState;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes down all that a bond is: options, counters, members, every queue pair in software and in hardware, failovers
 * and the trace. Each queue pair is taken at one moment, under the control lock; between two of them the bond goes on,
 * and so do posts and polls all the time. Any thread.
 */
public final class BondDump {
    /** So many facts at most: the rest of the queue pairs is counted. */
    static final int MOST_FACTS = 500_000;

    private static final String SUFFIX = ".dump";

    private final BondContext bond;
    private final Report.Builder report = new Report.Builder();

    private BondDump(final BondContext bond) {
        this.bond = bond;
    }

    /** The name of a bond's dump in the status directory, which the next one replaces. */
    public static Path name(final String bond, final long pid) {
        return Path.of(bond + "." + pid + SUFFIX);
    }

    /** Writes a bond's dump into the status directory; why it could not, or an empty text. */
    public static String write(final BondContext bond) {
        final String name = bond.device().name();
        try (PrivateDirectory directory = PrivateDirectory.create(
                StatusDirectory.path(), PosixFilePermissions.fromString("rwx------"))) {
            ReportFiles.write(
                    directory, name(name, ProcessHandle.current().pid()),
                    new BondDump(bond).take(TraceExcerpt.lines(directory.path(), name, TraceObject.NONE)));
            return "";
        } catch (final IOException e) {
            return "the dump was not written, and the bond goes on: " + e;
        }
    }

    private Report take(final List<String> trace) {
        final BondAdmin admin = bond.admin();
        report.section("dump");
        report.value("time", Instant.now());
        report.value("bond", bond.device().name());
        report.value("process", ProcessHandle.current().pid());
        report.value("program", StatusDirectory.program());
        report.value("java", Runtime.version());
        report.value("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        report.section("options");
        admin.config().toText().lines().skip(1).map(line -> line.split(" = ", 2)).forEach(
                option -> report.value(option[0], option[option.length - 1]));
        report.section("counters");
        for (final Counter counter : Counter.values()) {
            report.value(counter.name().toLowerCase(Locale.ROOT), bond.counters().get(counter));
        }
        admin.inspectMembers(report);
        MemoryReport.take(bond, report);
        queuePairs(admin);
        failovers(admin);
        report.section("trace");
        for (final String line : trace) {
            final int time = Math.min(line.length(), TraceExcerpt.TIME_LETTERS);
            report.value(line.substring(0, time), line.substring(time).strip());
        }
        return report.build();
    }

    private void queuePairs(final BondAdmin admin) {
        final Rows rows = new Rows();
        report.section("queue pairs");
        admin.visit(rows);
        int leftOut = 0;
        for (final int qpNum : rows.connected) {
            if (report.facts() > MOST_FACTS) {
                leftOut++;
            } else {
                report.prefix(TraceObject.text(TraceObject.qp(qpNum)) + " ");
                admin.inspect(qpNum, report);
            }
        }
        report.prefix("");
        if (leftOut > 0) {
            report.section("left out");
            report.value("queue pairs", leftOut);
        }
    }

    private void failovers(final BondAdmin admin) {
        report.section("failovers");
        for (final FailoverReport one : admin.failoversAfter(0)) {
            report.value(
                    TraceObject.text(TraceObject.qp(one.qpNum())) + " epoch " + one.epoch(),
                    one.reason() + ", " + one.fromPath() + " to " + (one.toPath().isEmpty() ? "none" : one.toPath())
                            + ", " + (one.fenceNs() + one.connectNs() + one.replayNs()) + " ns"
                            + (one.error() == null ? "" : ", failed with " + one.error()));
        }
    }

    /** A line a queue pair, and the numbers of those that can be looked into. Under the control lock. */
    private final class Rows implements QpVisitor {
        private final List<Integer> connected = new ArrayList<>();

        @Override
        public void onQueuePair(
                final int index,
                final int qpNum,
                final QpType type,
                final QpState state,
                final @Nullable RecoveryState recovery,
                final int epoch,
                final int member,
                final @Nullable InetAddress remote,
                final long posted,
                final long completed,
                final long received) {
            report.value(
                    TraceObject.text(TraceObject.qp(qpNum)),
                    type + " " + state + (recovery == null ? "" : " " + recovery) + ", posted " + posted
                            + ", completed " + completed + ", received " + received);
            if (type == QpType.RC) {
                connected.add(qpNum);
            }
        }
    }
}
