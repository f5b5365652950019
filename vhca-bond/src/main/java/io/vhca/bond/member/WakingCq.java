package io.vhca.bond.member;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue of the bond's own on one member: what completes there wakes the bond's thread, where it has one.
 * Control lock. Owns the queue, and its share of the waker.
 */
public final class WakingCq implements CompletionWakers.Heard, AutoCloseable {
    private final CompletionWakers.@Nullable Waker waker;
    private final CompletionQueue queue;
    private final boolean isSolicitedOnly;
    /** The waker has heard of it, or was never asked to. */
    private volatile boolean isHeard = true;

    /**
     * Creates one.
     *
     * @param isSolicitedOnly only solicited messages that arrive, and errors, are heard of
     * @throws VerbsException as the member says; nothing is left of it then
     */
    public WakingCq(
            final CompletionWakers wakers, final Member member, final int cqe, final boolean isSolicitedOnly) {
        this.isSolicitedOnly = isSolicitedOnly;
        waker = wakers.acquire(member);
        try {
            queue = member.context().createCq(cqe, this, waker == null ? null : waker.events());
        } catch (final VerbsException e) {
            release();
            throw e;
        }
    }

    /** What a queue pair is created with. */
    public CompletionQueue queue() {
        return queue;
    }

    /** Any thread: something has completed, or is left. */
    @Override
    public void heard() {
        isHeard = true;
    }

    /** Whether a poll may find anything. */
    public boolean mayHaveMore() {
        return waker == null || isHeard;
    }

    /** As {@link CompletionQueue#poll(long, int)}; what completes later is heard of. */
    public int poll(final long wcs, final int max) {
        ask();
        return queue.poll(wcs, max);
    }

    /** What completes from now on is heard of; before a poll that is not by {@link #poll}. */
    public void ask() {
        if (waker == null || !isHeard) {
            return;
        }
        isHeard = false;
        try {
            queue.reqNotify(isSolicitedOnly);
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EIO) {
                throw e;
            }
            // The device died, and its event is still on the way: nobody is told, and a poll says what is there.
            isHeard = true;
        }
    }

    private void release() {
        if (waker != null) {
            waker.release();
        }
    }

    @Override
    public void close() {
        try {
            queue.close();
        } finally {
            release();
        }
    }
}
