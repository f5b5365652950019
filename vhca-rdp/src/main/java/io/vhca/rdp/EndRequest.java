package io.vhca.rdp;

import io.vhca.api.ProcessEnd;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets a driver run until its process is told to end by SIGTERM or SIGINT, and lets it be closed in its own
 * order then: made before anything is opened, closed after everything.
 */
public final class EndRequest implements AutoCloseable {
    /** A bond's close may take 30 s on a host that is slow. */
    private static final long MOST_SECONDS = 45;

    private final CountDownLatch isAsked = new CountDownLatch(1);
    private final CountDownLatch isDone = new CountDownLatch(1);
    private final @Nullable String before;
    private final Thread hook = new Thread(this::end, "vhca-rdp-end");

    public EndRequest() {
        // Devices say goodbye when they are closed, after what is over them: not beside that.
        before = System.setProperty(ProcessEnd.PROPERTY, "off");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void end() {
        isAsked.countDown();
        try {
            isDone.await(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As if the process were told to end: what it runs for has ended by itself. Any thread. */
    public void ask() {
        isAsked.countDown();
    }

    /** Waits until the process is told to end, or this thread is interrupted. */
    public void await() {
        try {
            isAsked.await();
        } catch (final InterruptedException e) {
            // As good as a signal: the driver ends now, and its thread with it.
            isAsked.countDown();
        }
    }

    /** Everything is closed. */
    @Override
    public void close() {
        if (before == null) {
            System.clearProperty(ProcessEnd.PROPERTY);
        } else {
            System.setProperty(ProcessEnd.PROPERTY, before);
        }
        isDone.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // It runs, and goes on now.
            assert isAsked.getCount() == 0 : e;
        }
    }
}
