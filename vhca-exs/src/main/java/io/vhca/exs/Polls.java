package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Those who wait until a socket is ready: each ends in one event. The driver's lock. */
final class Polls {
    private static final int ALL = ExsSocket.READABLE | ExsSocket.WRITABLE;

    /** One that waits: for what, and where its event goes. */
    private record Poll(int events, ExsQueue queue, @Nullable Object cookie) {}

    private final ExsSocket socket;
    private final List<Poll> waiting = new ArrayList<>(1);

    Polls(final ExsSocket socket) {
        this.socket = socket;
    }

    static void check(final int events, final ExsSocket socket, final boolean isClosed) {
        if (events == 0 || (events & ~ALL) != 0) {
            throw new VerbsException(
                    "poll", Errno.EINVAL, socket.toString(),
                    "events are 0x" + Integer.toHexString(events) + "; ask for READABLE, WRITABLE or both");
        }
        if (isClosed) {
            throw new VerbsException("poll", Errno.EINVAL, socket.toString(), "it was closed; take a new socket");
        }
    }

    /** Adds one for which the queue has room. */
    void add(final int events, final ExsQueue queue, final @Nullable Object cookie, final int ready) {
        queue.reserve();
        waiting.add(new Poll(events, queue, cookie));
        look(ready);
    }

    /** Ends those that waited for what is so now. */
    void look(final int ready) {
        for (int i = 0; i < waiting.size(); ) {
            final Poll poll = waiting.get(i);
            final int found = poll.events & ready;
            if (found == 0) {
                i++;
            } else {
                waiting.remove(i);
                poll.queue.post(socket, poll.cookie, 0, found);
            }
        }
    }

    /** Ends all; false where there was none. */
    boolean end(final int errno) {
        final boolean isAny = !waiting.isEmpty();
        waiting.forEach(poll -> poll.queue.post(socket, poll.cookie, errno, 0));
        waiting.clear();
        return isAny;
    }
}
