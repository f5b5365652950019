package io.vhca.ras.snapshot;

import io.vhca.api.FailureText;
import io.vhca.api.ProcStatus;
import io.vhca.bond.BondContext;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.memory.MemoryUse;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;

/**
 * Writes down what of a bond uses memory, by kind, owner and line, largest first, and what the process has in all. Any
 * thread; neither the bond nor its data path waits for it.
 */
public final class MemoryReport {
    /** The section of the totals; each of the others that begin with {@link #USE} is of one kind, owner and line. */
    public static final String TOTALS = "memory";

    public static final String USE = "use ";

    private static final String SUFFIX = ".memory";
    private static final int MOST_USES = 1_000;

    private MemoryReport() {}

    /** The name of a bond's report in the status directory, which the next one replaces. */
    public static Path name(final String bond, final long pid) {
        return Path.of(bond + "." + pid + SUFFIX);
    }

    /**
     * Writes it into the status directory; why it could not, or an empty text.
     *
     * @param marks what grows from then on is told apart by the next one
     */
    public static String write(final BondContext bond, final boolean marks) {
        final String name = bond.device().name();
        final Report.Builder report = new Report.Builder();
        take(bond, report);
        if (marks) {
            bond.admin().memory().mark();
        }
        try (PrivateDirectory directory = PrivateDirectory.create(
                StatusDirectory.path(), PosixFilePermissions.fromString("rwx------"))) {
            ReportFiles.write(directory, name(name, ProcessHandle.current().pid()), report.build());
            return "";
        } catch (final IOException e) {
            return "the report was not written, and the bond goes on: " + FailureText.of(e);
        }
    }

    /** Adds it to a report. */
    public static void take(final BondContext bond, final Report.Builder report) {
        final MemoryTracker tracker = bond.admin().memory();
        final List<MemoryUse> uses = tracker.uses();
        report.section(TOTALS);
        report.value("time", Instant.now());
        report.value("bond", bond.device().name());
        report.value("process", ProcessHandle.current().pid());
        report.value("mark", tracker.markedMs() == 0 ? "none" : Instant.ofEpochMilli(tracker.markedMs()));
        report.value("native bytes", uses.stream().mapToLong(MemoryUse::nativeBytes).sum());
        report.value("registered bytes", uses.stream()
                .filter(use -> isOwn(use))
                .mapToLong(MemoryUse::registeredBytes)
                .sum());
        ofProcess(report);
        uses.stream().limit(MOST_USES).forEach(use -> tell(use, report));
        if (uses.size() > MOST_USES) {
            report.section("left out");
            report.value("smaller ones", uses.size() - MOST_USES);
        }
    }

    /** Members have again what the bond has registered. */
    private static boolean isOwn(final MemoryUse use) {
        return use.owner().equals(MemoryTracker.APPLICATION) || use.owner().equals(MemoryTracker.BOND);
    }

    private static void tell(final MemoryUse use, final Report.Builder report) {
        report.section(USE + use.kind().text() + " of " + use.owner());
        report.value("kind", use.kind().text());
        report.value("owner", use.owner());
        report.value("count", use.count());
        report.value("native", use.nativeBytes());
        report.value("registered", use.registeredBytes());
        report.value("grown count", use.grownCount());
        report.value("grown bytes", use.grownBytes());
        report.value("oldest", use.oldestMs() == 0 ? "-" : Instant.ofEpochMilli(use.oldestMs()));
        report.value("site", use.site().isEmpty() ? "-" : use.site());
    }

    /** What the kernel says that the process has: in memory at all, and locked or pinned there. */
    private static void ofProcess(final Report.Builder report) {
        try {
            ProcStatus.ofThisProcess().stream()
                    .filter(line -> line.startsWith("VmRSS:") || line.startsWith("VmLck:") || line.startsWith("VmPin:"))
                    .map(line -> line.split(":", 2))
                    .forEach(fact -> report.value("process " + fact[0], fact[1].strip()));
        } catch (final IOException e) {
            report.value("process", "cannot be read: " + e);
        }
    }
}
