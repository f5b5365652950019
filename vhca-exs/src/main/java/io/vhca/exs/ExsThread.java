package io.vhca.exs;

import io.vhca.api.Uninterrupted;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** The thread of an {@link Exs} that has one: gives the driver its turns, and sleeps when there is nothing to do. */
final class ExsThread implements AutoCloseable {
    private final Driver driver;
    private final Thread thread;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean isClosed;
    /** The thread gives no more turns, and still tells what they threw. */
    private volatile boolean isTelling;

    /** @param starter starts it; an Error where the host has no room for one more */
    ExsThread(final Driver driver, final Consumer<Thread> starter) {
        this.driver = driver;
        thread = Thread.ofPlatform().name("vhca-exs").daemon().unstarted(this::run);
        starter.accept(thread);
    }

    private void run() {
        try {
            for (int idle = 0; !isClosed; idle++) {
                if (driver.doWork(System.nanoTime()) > 0) {
                    idle = 0;
                }
                driver.idle(idle, Long.MAX_VALUE, () -> isClosed);
            }
        } catch (final Throwable e) {
            isTelling = true;
            driver.abandon(e); // nobody else gives the sockets turns: who waits would wait for ever
            throw e;
        } finally {
            over.countDown();
        }
    }

    /**
     * Returns when the thread has ended, also where the caller is interrupted: what it uses is freed next. Where a turn
     * has thrown, the thread uses nothing any more and is not waited for: its handler of uncaught exceptions may be who
     * closes, or end the process, whose hooks do.
     */
    @Override
    public void close() {
        isClosed = true;
        driver.wakeUp();
        Uninterrupted.await(over::await);
        if (!isTelling) {
            Uninterrupted.await(thread::join);
        }
    }
}
