package io.vhca.physical.verbs;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;

/**
 * Ids of the connection manager that were closed while the port was down, destroyed when it is up again.
 *
 * <p>Destroying a connected id makes the kernel send a message. On rxe a message that finds no way out puts the queue
 * pair of the connection manager itself into error, for good: no connection can be made over the device until it is
 * deleted and added again. Nothing is lost by waiting, the message could not have left. Any thread.
 */
final class PostponedIds {
    private final Queue<VerbsCmId> ids = new ArrayDeque<>();

    synchronized void add(final VerbsCmId id) {
        ids.add(id);
    }

    synchronized boolean isEmpty() {
        return ids.isEmpty();
    }

    /** The port is up, or nothing matters any more. */
    synchronized void destroyAll() {
        for (VerbsCmId id = ids.poll(); id != null; id = ids.poll()) {
            id.discard();
        }
    }

    /** Their channel is about to go. */
    synchronized void destroyThoseOf(final VerbsEventChannel channel) {
        final Iterator<VerbsCmId> all = ids.iterator();
        while (all.hasNext()) {
            final VerbsCmId id = all.next();
            if (id.channel() == channel) {
                all.remove();
                id.discard();
            }
        }
    }
}
