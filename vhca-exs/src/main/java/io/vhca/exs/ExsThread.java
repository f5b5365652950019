package io.vhca.exs;

import java.util.function.Consumer;

/** The thread of an {@link Exs} that has one: gives the driver its turns, and sleeps when there is nothing to do. */
final class ExsThread implements AutoCloseable {
    private final Driver driver;
    private final Thread thread;
    private volatile boolean isClosed;

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
            driver.abandon(e); // nobody else gives the sockets turns: who waits would wait for ever
            throw e;
        }
    }

    /** Returns when the thread has ended, also where the caller is interrupted: what it uses is freed next. */
    @Override
    public void close() {
        isClosed = true;
        driver.wakeUp();
        join(thread);
    }

    /** Waits until a thread has ended that will; a caller that is interrupted waits on, and stays interrupted. */
    static void join(final Thread ending) {
        boolean isInterrupted = false;
        while (ending.isAlive()) {
            try {
                ending.join();
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
