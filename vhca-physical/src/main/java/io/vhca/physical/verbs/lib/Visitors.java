package io.vhca.physical.verbs.lib;

import io.vhca.api.Uninterrupted;

/**
 * The threads that are inside of something that may be closed at any time: none enters once it is closed, and who
 * closes it waits until the last has left. Any thread.
 */
public final class Visitors {
    private static final long NOT_ALONE = -1;

    /** Threads between enter and leave; guarded by this. */
    private int users;
    /** How often a thread has entered. */
    private long entries;

    private boolean isClosed;

    /** False once closed. True obliges to {@link #leave}. */
    public synchronized boolean enter() {
        if (isClosed) {
            return false;
        }
        users++;
        entries++;
        return true;
    }

    /** For {@link #isAloneSince}, between enter and leave. */
    public synchronized long visit() {
        return users == 1 ? entries : NOT_ALONE;
    }

    /** Whether no other thread was inside since that {@link #visit}. */
    public synchronized boolean isAloneSince(final long visit) {
        return visit == entries;
    }

    public synchronized void leave() {
        users--;
        notifyAll();
    }

    /**
     * Nobody enters from now on; returns when no thread is inside any more.
     *
     * @param farewell makes those leave who are inside
     * @return false when it was closed before
     */
    synchronized boolean close(final Runnable farewell) {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        farewell.run();
        Uninterrupted.await(this::awaitNobody);
        return true;
    }

    private synchronized void awaitNobody() throws InterruptedException {
        while (users > 0) {
            wait();
        }
    }
}
