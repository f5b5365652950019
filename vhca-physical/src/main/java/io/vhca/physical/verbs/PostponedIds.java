package io.vhca.physical.verbs;

import io.vhca.api.cm.CmEventChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the connection manager that were closed or disconnected while the port was down, destroyed or disconnected
 * when it is up again.
 *
 * <p>Destroying a connected id makes the kernel send a message. On rxe a message that finds no way out puts the queue
 * pair of the connection manager itself into error, for good: no connection can be made over the device until it is
 * deleted and added again. Nothing is lost by waiting, the message could not have left. Any thread.
 */
final class PostponedIds {
    private final Queue<Id> closed = new ArrayDeque<>();
    private final Set<Id> disconnected = new LinkedHashSet<>();

    /** An id. */
    interface Id {
        CmEventChannel channel();

        /** Destroys the C object; nothing may use it from here on. */
        void discard();

        /** Tells the peer that the connection is over; nothing where the id is closed. */
        void sayDisconnected();
    }

    /** It was closed. */
    synchronized void add(final Id id) {
        closed.add(id);
    }

    /** It was disconnected. Once, however often it is said. */
    synchronized void addDisconnected(final Id id) {
        disconnected.add(id);
    }

    /** It need not be disconnected any more. */
    synchronized void forgetDisconnected(final Id id) {
        disconnected.remove(id);
    }

    synchronized boolean isEmpty() {
        return closed.isEmpty() && disconnected.isEmpty();
    }

    /** The port is up, or nothing matters any more. */
    void doAll() {
        destroyAll();
        for (Id id = nextDisconnected(); id != null; id = nextDisconnected()) {
            id.sayDisconnected(); // not under this monitor: who disconnects an id holds that of the id
        }
    }

    private synchronized void destroyAll() {
        for (Id id = closed.poll(); id != null; id = closed.poll()) {
            id.discard();
        }
    }

    private synchronized @Nullable Id nextDisconnected() {
        final Iterator<Id> all = disconnected.iterator();
        if (!all.hasNext()) {
            return null;
        }
        final Id next = all.next();
        all.remove();
        return next;
    }

    /** Their channel is about to go. */
    synchronized void destroyThoseOf(final CmEventChannel channel) {
        final Iterator<Id> all = closed.iterator();
        while (all.hasNext()) {
            final Id id = all.next();
            if (id.channel() == channel) {
                all.remove();
                id.discard();
            }
        }
    }
}
