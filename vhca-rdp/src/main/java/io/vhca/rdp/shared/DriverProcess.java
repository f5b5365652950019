package io.vhca.rdp.shared;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.WatchedTime;
import io.vhca.rdp.EndRequest;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.rdp.unix.SameJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A process that has a driver for all others, as {@code vhca rdp driver} does, which the first that wants it starts.
 * It stays until it is told to end by SIGTERM. What it logs is in {@code DEVICE.rdpd.log} beside the status files.
 */
public final class DriverProcess {
    /** Makes it a process of its own session: what ends its client at a terminal does not end it. */
    private static final Path SESSION = Path.of("/usr/bin/setsid");

    private static final String LOG = ".rdpd.log";

    /** Until it is there and has answered; time in which the caller itself did not run does not count. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    /** Who has the device may have ended after that time: another start is tried, and one more after twice as long. */
    private static final long OTHER_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long RETRY_MS = 20;
    /** What the process ends with where the device, or the place where clients attach, is taken: EX_TEMPFAIL. */
    static final int TAKEN = 75;

    private DriverProcess() {}

    /** @param args the device */
    public static void main(final String[] args) {
        try (EndRequest end = new EndRequest();
                Context context = Devices.open(args[0]);
                RdpDriver driver = RdpDriver.open(context);
                SharedServer server = SharedServer.open(driver, end::ask)) {
            System.out.println("driver of " + args[0] + ": processes attach at " + server.path());
            end.await();
            server.checkServing();
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            System.err.println(e.getMessage());
            System.exit(TAKEN);
        }
    }

    /** What starts the process. */
    @FunctionalInterface
    interface Starter {
        Process start(String device) throws IOException;
    }

    /** Where only this user writes; what it had there once is not written through. */
    static Path log(final String device) throws IOException {
        final Path log = StatusFiles.prepare().resolve(device + LOG);
        if (Files.exists(log, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(log + " is no file, and takes no log; delete it");
        }
        return log;
    }

    /** Starts it with this JVM's class path, flags and vHCA's properties; it need not be there when this returns. */
    static Process start(final String device) throws IOException {
        final List<String> command = new ArrayList<>();
        if (Files.isExecutable(SESSION)) {
            command.add(SESSION.toString());
        }
        command.addAll(SameJvm.command(DriverProcess.class, List.of(device)));
        final Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(device).toFile()))
                .start();
        process.getOutputStream().close();
        return process;
    }

    /**
     * Attaches, and starts the process where none is there. Several may do so at once: one becomes the driver, the
     * others end because the device is taken, and all attach to that one.
     */
    static SharedDriver attach(final String device) {
        return attach(device, DriverProcess::start, System::nanoTime);
    }

    /** The same with something else that starts it, and by another clock, for a test of what becomes of it. */
    static SharedDriver attach(final String device, final Starter starter, final LongSupplier clock) {
        try {
            return attachOrStart(device, starter, clock);
        } catch (final IOException e) {
            throw new VerbsException(
                    "attach", Errno.ENOTCONN, "driver of " + device, "it cannot be started: " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(
                    "attach", Errno.ENOTCONN, "driver of " + device, "this thread was interrupted as it started", e);
        }
    }

    private static SharedDriver attachOrStart(final String device, final Starter starter, final LongSupplier clock)
            throws IOException, InterruptedException {
        final WatchedTime patience = AnswerTimeout.begin(PATIENCE_NS, clock.getAsLong());
        final BooleanSupplier isOver = () -> patience.isOver(clock.getAsLong());
        @Nullable Process process = null;
        long endNs = 0;
        long pauseNs = OTHER_NS;
        boolean hasEnded = false;
        boolean isLast = false;
        while (true) {
            try {
                return SharedDriver.attachUntil(device, isOver);
            } catch (final VerbsException e) {
                if (e.errno() != Errno.ENOTCONN) {
                    throw e;
                }
                if (isLast) {
                    throw new VerbsException(
                            "attach", Errno.ENOTCONN, "driver of " + device,
                            "its process was started and " + (hasEnded ? "has ended" : "does not answer") + "; "
                                    + log(device) + " says why",
                            e);
                }
            }
            final long nowNs = clock.getAsLong();
            if (process == null || hasEnded && nowNs - endNs >= pauseNs) {
                pauseNs = process == null ? OTHER_NS : 2 * pauseNs;
                process = starter.start(device);
                hasEnded = false;
            }
            if (hasEnded) {
                Thread.sleep(RETRY_MS);
            } else if (process.waitFor(RETRY_MS, TimeUnit.MILLISECONDS)) {
                hasEnded = true;
                endNs = nowNs;
                isLast = process.exitValue() != TAKEN;
            }
            isLast |= isOver.getAsBoolean();
        }
    }
}
