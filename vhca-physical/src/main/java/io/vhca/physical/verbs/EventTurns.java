package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.Visitors;
import org.jspecify.annotations.Nullable;

/**
 * Which thread has which event of a completion channel, each of which one thread has, once. Any thread.
 *
 * <p>A thread that waits alone for a channel's only queue has its event as soon as there is one, and it is read by
 * whoever comes next, before anything else, or asks the queue to tell again: who was woken answers first, a system call
 * earlier.
 *
 * @param <Q> a completion queue
 */
final class EventTurns<Q> {
    private final Events<Q> events;
    private final Visitors visitors;
    /** Whose event was given and is still to be read; guarded by this. */
    private @Nullable Q unread;

    /** The channel. */
    interface Events<Q> {
        /** Takes the next event; false where there is none. One thread at a time. */
        boolean take();

        /** Whose event was taken last; null where that queue is gone. */
        @Nullable Q taken();

        /** The channel's only queue; null where it has another number of them. Any thread. */
        @Nullable Q only();
    }

    /** @param visitors who is inside of the channel: all threads that use this */
    EventTurns(final Events<Q> events, final Visitors visitors) {
        this.events = events;
        this.visitors = visitors;
    }

    /**
     * There is an event, and the caller has waited for it: gives it to him unread, unless another thread may have read
     * it, or it may be of another queue.
     *
     * @param only  the channel's only queue, before he waited
     * @param visit {@link Visitors#visit}, before he waited and after {@link #read} had nothing
     */
    synchronized boolean give(final Q only, final long visit) { // who comes from here on reads behind this
        if (only != events.only() || !visitors.isAloneSince(visit)) {
            return false;
        }
        assert unread == null : only + ": nobody else was here, and all was read";
        unread = only;
        return true;
    }

    /**
     * The queue is about to be asked to tell again: its event is read before. Adapters count what they have told, in
     * what the library does when an event is read, and ignore who asks with the count of before.
     */
    synchronized void settle(final Q queue) {
        if (unread == queue) {
            unread = null;
            final boolean isTaken = events.take();
            assert !isTaken || events.taken() == queue : "it was the only one when its event came";
        }
    }

    /**
     * The queue of the next event; null where there is none.
     *
     * @param isWaiting the caller waits then, which returns at once where there is another event behind the unread one
     */
    synchronized @Nullable Q read(final boolean isWaiting) {
        while (true) {
            final boolean isTaken;
            final Q given;
            try {
                isTaken = events.take();
            } finally {
                given = unread;
                unread = null;
            }
            if (!isTaken) {
                return null;
            }
            final Q known = events.taken();
            if (known != null && known != given) {
                return known;
            }
            if (known != null && isWaiting) {
                return null;
            }
        }
    }
}
