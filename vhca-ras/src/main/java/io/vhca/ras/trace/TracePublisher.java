package io.vhca.ras.trace;

import io.vhca.api.FailureText;
import io.vhca.api.ProcessEnd;
import io.vhca.api.UntrustedFileException;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceLevels;
import io.vhca.bond.trace.TraceObject;
import io.vhca.bond.trace.TraceSink;
import io.vhca.ras.error.ErrorCode;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.recovery.BondError;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.wire.FailureReason;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Supplier;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Gives a bond its trace file, beside its status file, and tells there what the bond tells its observers; the parts of
 * the bond tell the rest themselves. Control lock, but for {@link #onError}: any thread.
 */
public final class TracePublisher implements BondObserver {
    private static final Logger LOGGER = System.getLogger(TracePublisher.class.getName());

    private final PrivateDirectory directory;
    private final Path name;
    private final @Nullable Object key;
    private final TraceWriter writer;
    private final Supplier<TraceLevels> levels;
    /** An application that ends without closing its bond has not crashed. */
    private final ProcessEnd end;

    private boolean isClosed;

    private TracePublisher(
            final PrivateDirectory directory, final Path name, final @Nullable Object key, final TraceWriter writer,
            final Supplier<TraceLevels> levels) {
        this.directory = directory;
        this.name = name;
        this.key = key;
        this.writer = writer;
        this.levels = levels;
        end = ProcessEnd.register(ProcessEnd.Layer.FILES, this::deleteFile);
    }

    /** Gives a bond its trace file; one that cannot be made costs the bond its trace, and is logged once. */
    public static void attach(final BondContext bond) {
        try {
            bond.admin().observe(open(bond, StatusDirectory.path()));
        } catch (final UntrustedFileException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    bond.device().name() + ": nothing is traced: " + e.getMessage() + " by -D"
                            + StatusDirectory.PROPERTY);
        } catch (final IOException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    bond.device().name() + ": nothing is traced in " + StatusDirectory.path() + " ("
                            + FailureText.of(e)
                            + "); make it writable, or name another by -D" + StatusDirectory.PROPERTY);
        }
    }

    /**
     * Makes a bond's trace file in a directory.
     *
     * @throws UntrustedFileException where others than this user may change what is in the directory
     * @throws IOException            where the directory cannot be written
     */
    static TracePublisher open(final BondContext bond, final Path directory) throws IOException {
        final String label = bond.device().name();
        final Path name = TraceFiles.of(label);
        final PrivateDirectory opened =
                PrivateDirectory.create(directory, PosixFilePermissions.fromString("rwx------"));
        try {
            TraceFiles.keepLeft(opened, label);
            TraceFiles.sweep(opened, label, System.currentTimeMillis(), System.nanoTime());
            final TraceWriter writer = TraceWriter.create(
                    opened.createFile(name, PosixFilePermissions.fromString("rw-------")),
                    label, SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE);
            return new TracePublisher(
                    opened, name, opened.key(name), writer, () -> bond.admin().config().get(BondOption.TRACE));
        } catch (final Throwable e) {
            StatusDirectory.delete(opened, name);
            opened.close();
            throw e;
        }
    }

    @Override
    public TraceSink traceSink() {
        return writer;
    }

    private void say(
            final int event, final long object, final long word0, final long word1, final long word2,
            final long word3) {
        if (levels.get().shows(event, object)) {
            writer.record(event, object, word0, word1, word2, word3);
        }
    }

    @Override
    public void onStep(final JournalEvent step) {
        final long object = TraceObject.qp(step.vQpNum());
        if (step.kind() == JournalKind.NEGOTIATED) {
            say(TraceEventDescriptor.RECOVERY_COUNTS, object, step.ownReceived(), step.peerReceived(),
                    step.negotiated(), step.replayed());
        } else {
            say(TraceEventDescriptor.RECOVERY_STEP, object, step.kind().code(), step.oldState().code(),
                    step.newState().code(), step.reason().code());
        }
    }

    @Override
    public void onFailover(final FailoverReport report) {
        final long tookNs = report.fenceNs() + report.connectNs() + report.replayNs();
        final BondError error = report.error();
        if (error == null) {
            say(TraceEventDescriptor.RECOVERED, TraceObject.qp(report.qpNum()), tookNs, report.reason().code(),
                    report.negotiated(), report.replayed());
        } else {
            say(TraceEventDescriptor.RECOVERY_FAILED, TraceObject.qp(report.qpNum()), tookNs,
                    report.reason().code(), report.epoch(), error.code());
        }
    }

    @Override
    public void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {
        say(TraceEventDescriptor.MEMBER_CHANGED, TraceObject.NONE, change.ordinal(), reason.code(),
                TraceText.word(member, 0), TraceText.word(member, Long.BYTES));
    }

    @Override
    public void onActive(final String from, final String to) {
        sayText(TraceEventDescriptor.MEMBER_ACTIVE, TraceObject.NONE, to);
    }

    @Override
    public void onDatagramMove(final int qpNum, final String from, final String to) {
        sayText(TraceEventDescriptor.DATAGRAM_MOVED, TraceObject.qp(qpNum), to.isEmpty() ? "no member" : to);
    }

    @Override
    public void onError(final Counter kind, final Throwable error) {
        sayText(TraceEventDescriptor.FAILED, TraceObject.NONE,
                ErrorCode.of(kind).text() + " " + error.getMessage());
    }

    private void sayText(final int event, final long object, final String text) {
        say(event, object, TraceText.word(text, 0), TraceText.word(text, Long.BYTES),
                TraceText.word(text, 2 * Long.BYTES), TraceText.word(text, 3 * Long.BYTES));
    }

    /** The file goes with the bond; one that is left tells of a process that ended without closing it. */
    @Override
    public void close() {
        end.close();
        deleteFile();
        directory.closeQuietly();
    }

    private synchronized void deleteFile() {
        if (!isClosed) {
            isClosed = true;
            StatusDirectory.delete(directory, name, key);
        }
    }
}
