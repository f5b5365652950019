package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waiting for a descriptor that its owner may close at any time: threads enter before they touch what the descriptor
 * belongs to, closing wakes those that wait and returns when the last has left. Who waits can be woken without anything
 * to read, too. Any thread.
 *
 * <p>A platform thread waits in poll(2). A virtual thread would keep its carrier there, and as many of them as there
 * are carriers would stop all others: it looks, and parks for a moment in between.
 */
public final class Readiness {
    /** How long at most until a thread notices that it was interrupted. */
    private static final long SLICE_MS = 100;
    /** How long a virtual thread parks at first, and after some time. */
    private static final long SHORTEST_NAP_NS = 200_000;

    private static final long LONGEST_NAP_NS = 1_000_000;

    private final int fd;
    private final int wakeFd;
    private final Visitors visitors = new Visitors();
    private volatile boolean isOver;
    /** Of the thread that waited last, for the next one. */
    private final AtomicReference<@Nullable PollSet> spare = new AtomicReference<>();

    public Readiness(final String verb, final String object, final int fd) {
        this.fd = fd;
        final int failed = Posix.setNonBlocking(fd);
        if (failed < 0) {
            throw VerbFailure.of(verb, failed, object);
        }
        wakeFd = Posix.eventFd();
        if (wakeFd < 0) {
            throw new VerbsException(
                    verb, -wakeFd, object, "no eventfd for who waits could be made" + Errno.descriptorHint(-wakeFd));
        }
    }

    /** Who is inside. */
    public Visitors visitors() {
        return visitors;
    }

    /** False once closed. True obliges to {@link #leave}. */
    public boolean enter() {
        return visitors.enter();
    }

    public void leave() {
        visitors.leave();
    }

    /**
     * Waits, between enter and leave.
     *
     * @param startNs   when the wait began, by System.nanoTime
     * @param timeoutNs how long from then
     * @return true when the descriptor can be read; false after that time, when woken, when closed, when told that
     *     nothing more comes, or when interrupted
     */
    public boolean await(final long startNs, final long timeoutNs) {
        final PollSet free = spare.getAndSet(null);
        final PollSet polled = free == null ? new PollSet(List.of(fd, wakeFd)) : free;
        try {
            return await(polled, startNs, timeoutNs);
        } finally {
            spare.set(polled);
        }
    }

    private boolean await(final PollSet polled, final long startNs, final long timeoutNs) {
        final boolean isVirtual = Thread.currentThread().isVirtual();
        long napNs = SHORTEST_NAP_NS;
        while (!isOver && !Thread.currentThread().isInterrupted()) {
            final long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                return false;
            }
            final long leftMs = TimeUnit.NANOSECONDS.toMillis(leftNs) + 1;
            final int count = polled.await(isVirtual ? 0 : (int) Math.min(leftMs, SLICE_MS));
            if (polled.isReady(0)) {
                return true; // a word that came with it is the next one's
            }
            if (polled.isReady(1)) {
                takeWakeUp();
                return false;
            }
            if (count < 0 && count != -Errno.EAGAIN && count != -VerbFailure.EINTR) {
                return false;
            }
            if (isVirtual) {
                LockSupport.parkNanos(this, Math.min(leftNs, napNs));
                napNs = Math.min(2 * napNs, LONGEST_NAP_NS);
            }
        }
        return false;
    }

    /** Wakes one thread that waits, or else the next that would. */
    public void wakeUp() {
        if (enter()) {
            Posix.signal(wakeFd);
            leave();
        }
    }

    /** What ends all waiting stays. */
    private void takeWakeUp() {
        Posix.drain(wakeFd);
        if (isOver) {
            Posix.signal(wakeFd);
        }
    }

    /** Nothing more is to be waited for: those who wait return, and nobody waits again. Nothing once closed. */
    public void over() {
        if (enter()) { // else the number of the descriptor may be another one's by now
            end();
            leave();
        }
    }

    private void end() {
        isOver = true;
        Posix.signal(wakeFd);
    }

    /** Idempotent; returns when no thread is inside any more. False when it was closed before. */
    public boolean close() {
        if (!visitors.close(this::end)) {
            return false;
        }
        Posix.close(wakeFd);
        return true;
    }
}
