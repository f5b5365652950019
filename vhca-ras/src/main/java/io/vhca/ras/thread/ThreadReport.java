package io.vhca.ras.thread;

import io.vhca.api.FailureText;
import io.vhca.bond.BondContext;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;

/** Writes down which threads are inside a bond and where. Any thread; it takes no lock of the bond's. */
public final class ThreadReport {
    /** The section of the time; each of the others is of one thread, its title begins with {@link #THREAD}. */
    public static final String HEAD = "threads";

    public static final String THREAD = "thread ";

    private static final String SUFFIX = ".threads";

    private ThreadReport() {}

    /** The name of a bond's report in the status directory, which the next one replaces. */
    public static Path name(final String bond, final long pid) {
        return Path.of(bond + "." + pid + SUFFIX);
    }

    /** Writes it into the status directory; why it could not, or an empty text. */
    public static String write(final BondContext bond) {
        final Report.Builder report = new Report.Builder();
        report.section(HEAD);
        report.value("time", Instant.now());
        report.value("bond", bond.device().name());
        report.value("process", ProcessHandle.current().pid());
        take(bond, report);
        try (PrivateDirectory directory = PrivateDirectory.create(
                StatusDirectory.path(), PosixFilePermissions.fromString("rwx------"))) {
            ReportFiles.write(
                    directory, name(bond.device().name(), ProcessHandle.current().pid()), report.build());
            return "";
        } catch (final IOException e) {
            return "the report was not written, and the bond goes on: " + FailureText.of(e);
        }
    }

    /** Adds the threads to a report, a section each. */
    public static void take(final BondContext bond, final Report.Builder report) {
        for (final InsideThread inside : InsideThread.all(bond.lockHolder())) {
            report.section(THREAD + inside.name());
            report.value("name", inside.name());
            report.value("inside", inside.where());
            report.value("state", inside.state());
            report.value("control lock", inside.isHolder() ? "has it" : "-");
            inside.stack().forEach(frame -> report.value("at", frame));
        }
    }
}
