package io.vhca.rdp.status;

import io.vhca.api.FailureText;
import io.vhca.api.ProcessEnd;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a driver's status file once a second, and first deletes what processes that are gone have left of that device.
 * The driver's own thread, but for the end of its process; sockets work where it cannot.
 */
public final class StatusPublisher implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(StatusPublisher.class.getName());
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<DriverStatus> source;
    private @Nullable Path file;
    /** Of what was written there, so that nothing else is deleted. */
    private @Nullable Object key;
    private @Nullable ProcessEnd end;
    /** The directory was judged, and written to since. */
    private boolean isJudged;
    /** The process ends: nobody would delete what is written now. */
    private boolean isEnding;
    private boolean hasFailed;
    private long lastNs;

    /** @param source what the driver is now */
    public StatusPublisher(final Supplier<DriverStatus> source, final long nowNs) {
        this.source = source;
        lastNs = nowNs - INTERVAL_NS;
    }

    /** Writes the file if it is time to. */
    public void doWork(final long nowNs) {
        if (nowNs - lastNs < INTERVAL_NS) {
            return;
        }
        lastNs = nowNs;
        final DriverStatus status = source.get();
        try {
            write(status);
            hasFailed = false;
        } catch (final IOException | UnsupportedOperationException e) {
            isJudged = false;
            if (!hasFailed) {
                LOGGER.log(Logger.Level.WARNING, "the status of the driver of " + status.device()
                        + " cannot be written: " + FailureText.of(e));
            }
            hasFailed = true;
        }
    }

    private synchronized void write(final DriverStatus status) throws IOException {
        if (isEnding) {
            return;
        }
        final Path known = file;
        final Path to = known != null && isJudged && hasDirectory(known) ? known : judge(status);
        StatusFiles.write(to, status.format());
        key = StatusFiles.key(to);
    }

    private static boolean hasDirectory(final Path file) {
        final Path directory = file.getParent();
        return directory != null && Files.isDirectory(directory);
    }

    /** Where it is written from now on, whoever changes a link above it. */
    private Path judge(final DriverStatus status) throws IOException {
        if (file == null) {
            StatusFiles.sweep(status.device());
        }
        final Path judged = StatusFiles.prepare().resolve(StatusFiles.name(status.device(), status.pid()));
        if (!judged.equals(file)) {
            close();
            file = judged;
            end = ProcessEnd.register(ProcessEnd.Layer.FILES, this::deleteAtEnd);
        }
        isJudged = true;
        return judged;
    }

    /** By the hook of the process, beside which the driver goes on. */
    synchronized void deleteAtEnd() {
        isEnding = true;
        delete();
    }

    private void delete() {
        if (file != null) {
            StatusFiles.delete(file, key);
        }
    }

    /** Deletes the file. */
    @Override
    public synchronized void close() {
        delete();
        if (end != null) {
            end.close();
        }
    }
}
