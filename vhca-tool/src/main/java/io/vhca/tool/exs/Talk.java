package io.vhca.tool.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import java.net.InetSocketAddress;
import java.util.Objects;

/** Sockets of a device for one thread that waits for each event. */
final class Talk {
    private static final int DEPTH = 256;

    private final Exs exs;
    private final ExsQueue queue;
    private final ExsEvent[] events = {new ExsEvent()};

    Talk(final Exs exs) {
        this.exs = exs;
        queue = exs.qcreate(DEPTH);
    }

    ExsQueue queue() {
        return queue;
    }

    ExsSocket listen(final InetSocketAddress address) {
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(address);
        listener.listen(DEPTH);
        return listener;
    }

    ExsSocket accept(final ExsSocket listener) {
        listener.accept(queue, null);
        return Objects.requireNonNull(await("accept").accepted());
    }

    ExsSocket connect(final InetSocketAddress peer) {
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        socket.connect(peer, queue, null);
        await("connect");
        return socket;
    }

    /** The next event, which must be without error. */
    ExsEvent await(final String call) {
        while (queue.qdequeue(events, Long.MAX_VALUE) == 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(call, Errno.ECANCELED, "exs", "interrupted");
            }
        }
        final ExsEvent event = events[0];
        if (event.errno() != 0) {
            throw new VerbsException(
                    call, event.errno(), event.socket().toString(), event.socket().failure());
        }
        return event;
    }

    /** What a call returned, which must not be negative. */
    static void check(final String call, final ExsSocket socket, final long result) {
        if (result < 0) {
            throw new VerbsException(call, (int) -result, socket.toString(), "it takes no more: " + socket.failure());
        }
    }
}
