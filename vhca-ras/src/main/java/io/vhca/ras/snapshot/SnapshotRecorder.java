package io.vhca.ras.snapshot;

import io.vhca.api.FailureText;
import io.vhca.api.Uninterrupted;
import io.vhca.api.UntrustedFileException;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.error.ErrorCode;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Writes down what a queue pair and the members are at the moment when the queue pair fails: both views, software's and
 * hardware's, are taken under the control lock before anything is cleaned up. And what the members are shortly after
 * one went down: queue pairs that move because of it do not wait for that. A virtual thread adds the trace and writes
 * the file, so a slow disk keeps nobody but the close of the bond.
 *
 * <p>At most {@value #MOST_A_SECOND} are taken in a second; the next one says how many were left out.
 */
public final class SnapshotRecorder implements BondObserver {
    static final int MOST_A_SECOND = 8;
    private static final int MOST_LEAKS = 10_000;
    private static final int MOST_LEAKS_LOGGED = 16;

    private static final Logger LOGGER = System.getLogger(SnapshotRecorder.class.getName());
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(1);
    /** The bond's control lock is held meanwhile; a host that has no processor for the writer is that slow. */
    private static final long CLOSE_WAIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long AFTER_MEMBER_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final BondContext bond;
    private final StateHistory history;
    private final String name;
    private final PrivateDirectory directory;
    private final ExecutorService writer;
    private final long closeWaitNs;
    private final AtomicInteger unwritten = new AtomicInteger();
    private long windowNs;
    private boolean isWindowOpen;
    private int taken;
    private long leftOut;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** When the last turn ended. */
    private long turnNs;

    /** A member went down, and queue pairs move because of it: what is written of it must not keep them. */
    private record Waiting(long dueNs, Instant since, String what, String why) {}

    SnapshotRecorder(final BondContext bond, final PrivateDirectory directory, final StateHistory history) {
        this(
                bond, directory, history,
                Executors.newSingleThreadExecutor(
                        Thread.ofVirtual().name("vhca-snapshot").factory()),
                CLOSE_WAIT_NS);
    }

    /**
     * @param writer      of one thread
     * @param closeWaitNs how long the close waits for it at most
     */
    SnapshotRecorder(
            final BondContext bond, final PrivateDirectory directory, final StateHistory history,
            final ExecutorService writer, final long closeWaitNs) {
        this.bond = bond;
        this.history = history;
        this.directory = directory;
        this.writer = writer;
        this.closeWaitNs = closeWaitNs;
        name = bond.device().name();
    }

    /**
     * Lets a bond take snapshots; where there is no directory for them the bond runs without, and that is logged.
     *
     * @param history what the bond's devices said before
     */
    public static void attach(final BondContext bond, final StateHistory history) {
        final Path path = StatusDirectory.path();
        try {
            final PrivateDirectory directory = PrivateDirectory.create(
                    path, PosixFilePermissions.fromString("rwx------"));
            try {
                bond.admin().observe(new SnapshotRecorder(bond, directory, history));
            } catch (final Throwable e) {
                directory.close();
                throw e;
            }
        } catch (final UntrustedFileException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    bond.device().name() + ": no snapshots: " + e.getMessage() + " by -D" + StatusDirectory.PROPERTY);
        } catch (final IOException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    bond.device().name() + ": no snapshots in " + path + " (" + FailureText.of(e)
                            + "); make it writable, or name another by -D" + StatusDirectory.PROPERTY);
        }
    }

    @Override
    public void onTurn(final long nowNs) {
        turnNs = nowNs;
        if (!isWindowOpen || nowNs - windowNs >= WINDOW_NS) {
            isWindowOpen = true;
            windowNs = nowNs;
            taken = 0;
        }
        while (!waiting.isEmpty() && nowNs - waiting.element().dueNs >= 0) {
            take(waiting.remove());
        }
    }

    @Override
    public void onFailover(final FailoverReport report) {
        final BondError error = report.error();
        if (error != null && !error.isToldWhereFound()) {
            final ErrorCode code = ErrorCode.of(error);
            ofQueuePair(report.qpNum(), code, error + " after " + report.reason() + " on " + report.fromPath());
        }
    }

    @Override
    public void onApplicationError(final int qpNum, final int status, final int vendorErr) {
        final BondError named = BondError.fromVendorErr(vendorErr);
        if (named != null) {
            ofQueuePair(qpNum, ErrorCode.of(named), named + ": " + named.meaning());
            return;
        }
        ofQueuePair(qpNum, ErrorCode.APPLICATION, status == 0
                ? "the member says that its queue pair is in error, or a receive failed"
                : "a send completed with " + io.vhca.api.WcStatus.fromCode(status) + ", vendor_err 0x"
                        + Integer.toHexString(vendorErr));
    }

    @Override
    public void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {
        if (change == MemberChange.DIED || change == MemberChange.DOWN && reason != FailureReason.NONE) {
            waiting.add(new Waiting(
                    turnNs + AFTER_MEMBER_NS, Instant.now(), "member " + member,
                    change.text() + ", noticed by " + reason));
        }
    }

    @Override
    public void onLeaks(final List<String> objects) {
        LOGGER.log(Logger.Level.WARNING, name + ": closed with " + objects.size() + " objects that were left open: "
                + String.join(", ", objects.subList(0, Math.min(MOST_LEAKS_LOGGED, objects.size()))));
        take(
                Instant.now(), ErrorCode.LEAKS, name,
                "it was closed with " + objects.size() + " objects that were left open",
                TraceObject.NONE, to -> {
                    to.section("left open");
                    for (int i = 0; i < Math.min(MOST_LEAKS, objects.size()); i++) {
                        to.value(String.valueOf(i + 1), objects.get(i));
                    }
                });
    }

    private void take(final Waiting of) {
        take(of.since, ErrorCode.MEMBER_DOWN, of.what, of.why, TraceObject.NONE, bond.admin()::inspectMembers);
    }

    private void ofQueuePair(final int qpNum, final ErrorCode code, final String why) {
        final long object = TraceObject.qp(qpNum);
        take(Instant.now(), code, TraceObject.text(object), why, object, to -> {
            bond.admin().inspect(qpNum, to);
            bond.admin().inspectMembers(to);
        });
    }

    private void take(
            final Instant since, final ErrorCode code, final String what, final String why, final long object,
            final Consumer<Report.Builder> views) {
        if (taken == MOST_A_SECOND) {
            leftOut++;
            return;
        }
        taken++;
        final Report.Builder report = new Report.Builder();
        report.section("snapshot");
        report.value("time", since);
        report.value("bond", name);
        report.value("process", ProcessHandle.current().pid());
        report.value("program", StatusDirectory.program());
        report.value("object", what);
        report.value("why", why);
        report.value("code", code.text());
        report.value("what happened", code.what());
        report.value("probable cause", code.probableCause());
        report.value("what to do", code.action());
        report.value("left out before it", leftOut);
        leftOut = 0;
        views.accept(report);
        history.tell(object, report);
        BondReport.options(bond, report);
        final List<String> members = bond.admin().config().members();
        unwritten.incrementAndGet();
        writer.execute(() -> write(object, members, report));
    }

    private void write(final long object, final List<String> members, final Report.Builder report) {
        try {
            members.forEach(member -> DeviceCounters.tell(member, report));
            BondReport.trace(directory.path(), name, object, report);
            ReportFiles.writeSnapshot(directory, name, report.build());
        } catch (final IOException | RuntimeException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    name + ": a snapshot was not written (" + (e instanceof IOException ? FailureText.of(e) : e)
                            + "); the bond goes on without it");
        } finally {
            unwritten.decrementAndGet();
        }
    }

    /** Waits until snapshots that were taken are written, for a bounded time; they stay. */
    @Override
    public void close() {
        try {
            waiting.forEach(this::take);
            waiting.clear();
        } finally {
            // Also where an Error came in between: what was handed to the writer before is still written.
            writer.execute(directory::closeQuietly);
            writer.shutdown();
        }
        final long beganNs = System.nanoTime();
        // Who closes and is interrupted waits on, and stays interrupted.
        Uninterrupted.await(
                () -> writer.awaitTermination(closeWaitNs - (System.nanoTime() - beganNs), TimeUnit.NANOSECONDS));
        if (!writer.isTerminated() && unwritten.get() > 0) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    name + ": it is closed and " + unwritten + " of its snapshots are not written yet, after "
                            + TimeUnit.NANOSECONDS.toSeconds(closeWaitNs)
                            + " s; they are lost where the process ends before that");
        }
    }
}
