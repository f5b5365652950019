package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.FailedTurns;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a process that is attached to a shared driver, {@code vhca-rdp-client-NAME}: sleeps until the driver
 * rings, wakes whoever waits, hears that the driver has ended, and looks for another one then.
 */
final class ClientThread implements Runnable {
    private static final Logger LOGGER = System.getLogger(ClientThread.class.getName());
    private static final long RETRY_MS = 100;
    /** Until the driver looks again who may have a socket. */
    private static final long RETRY_REFUSED_MS = 1_000;
    private static final int MOST_SAID = 8;

    private final SharedDriver driver;
    private final Selector selector;
    private final FailedTurns failures = new FailedTurns(LOGGER, "the shared driver's client");
    private @Nullable Attachment watched;
    /** Why no other driver was found, since the last one was left: each reason is said once. */
    private final Set<String> said = new HashSet<>();

    ClientThread(final SharedDriver driver) throws IOException {
        this.driver = driver;
        selector = Selector.open();
    }

    /** @param starter starts it; an Error where the host has no room for one more */
    void start(final Consumer<Thread> starter) throws IOException {
        boolean isStarted = false;
        try {
            starter.accept(Thread.ofPlatform().name("vhca-rdp-client-" + driver.device()).daemon().unstarted(this));
            isStarted = true;
        } finally {
            if (!isStarted) {
                selector.close();
            }
        }
    }

    /** Ends its sleep. Any thread. */
    void wake() {
        selector.wakeup();
    }

    @Override
    public void run() {
        try (selector) {
            driver.attachment().isHeardHere();
            while (!driver.isClosed()) {
                turn();
            }
        } catch (final IOException e) {
            driver.attachment().end("cannot be listened to any more: " + e.getMessage());
            LOGGER.log(Logger.Level.ERROR, "the thread of the shared driver's client ends: " + e.getMessage());
        }
        driver.tellAll();
    }

    /** What fails now is tried again: without this thread nobody hears of anything. */
    private void turn() throws IOException {
        try {
            final Attachment now = driver.attachment();
            if (now.end() == null) {
                listen(now);
            } else {
                reattach(now);
            }
            driver.tellAll();
        } catch (final RuntimeException | VirtualMachineError e) {
            failures.warn(e);
            pause(RETRY_MS);
        }
    }

    private void pause(final long ms) throws IOException {
        selector.select(ms);
        selector.selectedKeys().clear();
    }

    private void listen(final Attachment now) throws IOException {
        try {
            if (watched != now) {
                now.channel().register(selector, SelectionKey.OP_READ);
                watched = now;
            }
            selector.select();
            selector.selectedKeys().clear();
            now.hear();
        } catch (final ClosedChannelException e) {
            now.end("was left");
        }
        if (now.end() != null && !driver.isClosed()) {
            LOGGER.log(Logger.Level.WARNING, "the shared driver of " + driver.device() + ", process "
                    + now.terms().pid() + ", " + now.end() + "; this process looks for another one");
        }
    }

    private void reattach(final Attachment before) throws IOException {
        try {
            driver.reattach();
            if (driver.isClosed()) {
                return;
            }
            said.clear();
            LOGGER.log(Logger.Level.INFO, "a shared driver of " + driver.device() + " is there again, after process "
                    + before.terms().pid());
        } catch (final VerbsException e) {
            final String reason = String.valueOf(e.getMessage());
            if (e.errno() != Errno.ENOTCONN && said.size() < MOST_SAID && said.add(reason)) {
                LOGGER.log(Logger.Level.WARNING, reason);
            }
            pause(e.errno() == Errno.EPERM ? RETRY_REFUSED_MS : RETRY_MS);
        }
    }
}
