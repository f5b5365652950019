package io.vhca.tool.exs;

import io.vhca.api.VerbsException;
import io.vhca.exs.EventKind;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.MessageFlags;
import io.vhca.exs.SocketType;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/** Many sockets over one queue, for one thread. Each has its own piece of memory, of {@link #BYTES} bytes. */
final class Crowd {
    static final int BYTES = 64;

    private static final int CONNECTS_AT_ONCE = 16;
    private static final int EVENTS = 64;
    /** A send and a receive of each, and what is accepted. */
    private static final int CALLS = 2;

    private final Exs exs;
    private final int most;
    private final ExsQueue queue;
    private final ExsMemory memory;
    private final List<ExsSocket> sockets = new ArrayList<>();
    private final ExsEvent[] events = new ExsEvent[EVENTS];

    /** @param most sockets that are open at once */
    Crowd(final Exs exs, final Arena arena, final int most) {
        this.exs = exs;
        this.most = most;
        queue = exs.qcreate(CALLS * most + 1);
        memory = exs.mregister(arena.allocate((long) most * BYTES, BYTES));
        for (int i = 0; i < EVENTS; i++) {
            events[i] = new ExsEvent();
        }
    }

    // The end that opens them.

    /** Opens all of them. */
    void connect(final InetSocketAddress peer) {
        int begun = 0;
        while (sockets.size() < most) {
            while (begun < most && begun - sockets.size() < CONNECTS_AT_ONCE) {
                exs.socket(SocketType.STREAM).connect(peer, queue, null);
                begun++;
            }
            for (int i = 0, count = queue.qdequeue(events, Long.MAX_VALUE); i < count; i++) {
                sockets.add(good("connect", events[i]).socket());
            }
        }
    }

    /** A message there and back on each. */
    void round() {
        for (int i = 0; i < most; i++) {
            final ExsSocket socket = sockets.get(i);
            Talk.check("recv", socket, receive(socket, i));
            Talk.check("send", socket, socket.send(memory, (long) i * BYTES, BYTES, 0, queue, null));
        }
        for (int done = 0; done < CALLS * most; ) {
            final int count = queue.qdequeue(events, Long.MAX_VALUE);
            for (int i = 0; i < count; i++) {
                good("round", events[i]);
            }
            done += count;
        }
    }

    void close() {
        sockets.forEach(ExsSocket::close);
    }

    private static ExsEvent good(final String call, final ExsEvent event) {
        if (event.errno() != 0) {
            throw new VerbsException(
                    call, event.errno(), event.socket().toString(), event.socket().failure());
        }
        return event;
    }

    private long receive(final ExsSocket socket, final int place) {
        return socket.recv(memory, (long) place * BYTES, BYTES, MessageFlags.MSG_WAITALL, queue, place);
    }

    // The end that listens.

    /**
     * Sends back what comes, until so many have closed.
     *
     * @return how many were lost
     */
    int serve(final InetSocketAddress own, final int clients) {
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(own);
        listener.listen(most); // a client that connects does not wait for an accept
        final Deque<Integer> free = new ArrayDeque<>();
        for (int place = 0; place < most; place++) {
            free.add(place);
        }
        int ended = 0;
        int lost = 0;
        boolean isAccepting = false;
        while (ended < clients) {
            if (!isAccepting && !free.isEmpty()) {
                isAccepting = listener.accept(queue, null) >= 0;
            }
            for (int i = 0, count = queue.qdequeue(events, Long.MAX_VALUE); i < count; i++) {
                final ExsEvent event = events[i];
                final boolean isNew = event.kind() == EventKind.ACCEPT;
                isAccepting &= !isNew;
                final ExsSocket socket =
                        isNew ? Objects.requireNonNull(good("accept", event).accepted()) : event.socket();
                final int place = isNew ? free.remove() : (Integer) Objects.requireNonNull(event.cookie());
                if (!goesOn(event, socket, place)) {
                    // Nothing of it is outstanding: its place is the next one's.
                    lost += isEnd(event) ? 0 : 1;
                    socket.close();
                    free.add(place);
                    ended++;
                }
            }
        }
        listener.close();
        return lost;
    }

    /** Whether the peer has closed in good order. */
    private static boolean isEnd(final ExsEvent event) {
        return event.kind() == EventKind.RECV && event.errno() == 0 && event.bytes() == 0;
    }

    /** Sends a message back, and receives the next one where that is done: both are in one place. */
    private boolean goesOn(final ExsEvent event, final ExsSocket socket, final int place) {
        if (event.kind() != EventKind.RECV) {
            // Where the send has failed the receive says why: the peer may have had it, and closed in good order.
            return receive(socket, place) >= 0;
        }
        return event.errno() == 0
                && !isEnd(event)
                && socket.send(memory, (long) place * BYTES, event.bytes(), 0, queue, place) >= 0;
    }
}
