package io.vhca.ras.health;

import io.vhca.api.FailureText;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondAdmin;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.HealthReporter;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.snapshot.BondReport;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.thread.ThreadReport;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes down what one reporter of a bond looks at, and the trace. Any thread; the bond goes on. */
public final class HealthDump {
    private static final String SUFFIX = ".health";
    private static final int MOST_QUEUE_PAIRS = 64;

    private HealthDump() {}

    /** The name of a reporter's dump in the status directory, which the next one replaces. */
    public static Path name(final String bond, final long pid, final HealthReporter reporter) {
        return Path.of(bond + "." + pid + "." + reporter.text() + SUFFIX);
    }

    /** Writes it into the status directory; why it could not, or an empty text. */
    static String write(final BondContext bond, final HealthReporter reporter, final long errors) {
        final String name = bond.device().name();
        final long pid = ProcessHandle.current().pid();
        try (PrivateDirectory directory = PrivateDirectory.create(
                StatusDirectory.path(), PosixFilePermissions.fromString("rwx------"))) {
            final Report.Builder report = new Report.Builder();
            report.section("health");
            report.value("time", Instant.now());
            report.value("bond", name);
            report.value("process", pid);
            report.value("reporter", reporter.text());
            report.value("errors", errors);
            take(bond, reporter, report);
            BondReport.trace(directory.path(), name, TraceObject.NONE, report);
            ReportFiles.write(directory, name(name, pid, reporter), report.build());
            return "";
        } catch (final IOException | VerbsException e) {
            return "the dump was not written, and the bond goes on: " + FailureText.of(e);
        }
    }

    private static void take(final BondContext bond, final HealthReporter reporter, final Report.Builder report) {
        final BondAdmin admin = bond.admin();
        switch (reporter) {
            case MEMBER -> admin.inspectMembers(report);
            case PATH -> {
                admin.inspectMembers(report);
                queuePairs(admin, false, report);
            }
            case QUEUE_PAIR -> queuePairs(admin, true, report);
            case THREAD -> ThreadReport.take(bond, report);
            case JOURNAL -> {
                report.section("journal");
                report.value("directory", admin.config().get(BondOption.JOURNAL).orElse("none"));
                report.value("cannot be written", admin.isJournalFailing());
                for (final Counter counter : List.of(Counter.JOURNAL_ERRORS, Counter.JOURNAL_LOST)) {
                    report.value(counter.name().toLowerCase(Locale.ROOT), bond.counters().get(counter));
                }
            }
            case MEMORY -> {
                MemoryReport.take(bond, report);
                report.section("markers");
                final List<String> broken = admin.check();
                broken.forEach(line -> report.value("broken", line));
                report.value("all whole", broken.isEmpty());
            }
        }
    }

    /** Those that failed, or those that have no path now. */
    private static void queuePairs(final BondAdmin admin, final boolean isOfFailed, final Report.Builder report) {
        final List<Integer> found = new ArrayList<>();
        admin.visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) -> {
            if (isOfFailed ? BondHealth.isFailed(state, recovery) : BondHealth.isRecovering(recovery)) {
                found.add(qpNum);
            }
        });
        report.section("queue pairs");
        report.value(isOfFailed ? "failed" : "without a path", found.size());
        for (final int qpNum : found.subList(0, Math.min(MOST_QUEUE_PAIRS, found.size()))) {
            report.prefix(TraceObject.text(TraceObject.qp(qpNum)) + " ");
            admin.inspect(qpNum, report);
        }
        report.prefix("");
    }
}
