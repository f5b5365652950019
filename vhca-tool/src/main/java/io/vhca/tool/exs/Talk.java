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
import java.util.function.Consumer;

/** Sockets of a device for one thread that waits for each event; {@link #await} wants one for each call it was told. */
final class Talk {
    private static final int DEPTH = 256;

    /** What the end that listens does with one client. */
    interface Service {
        void serve(ExsSocket client);
    }

    private final Exs exs;
    private final ExsQueue queue;
    private final ExsEvent[] events = {new ExsEvent()};
    private int outstanding;

    Talk(final Exs exs) {
        this.exs = exs;
        queue = exs.qcreate(DEPTH);
    }

    ExsQueue queue() {
        return queue;
    }

    private ExsSocket listen(final InetSocketAddress address) {
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(address);
        listener.listen(DEPTH);
        return listener;
    }

    private ExsSocket accept(final ExsSocket listener) {
        called("accept", listener, listener.accept(queue, null));
        return Objects.requireNonNull(await("accept").accepted());
    }

    ExsSocket connect(final InetSocketAddress peer) {
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        called("connect", socket, socket.connect(peer, queue, null));
        await("connect");
        return socket;
    }

    /**
     * Serves so many clients, one after the other. One that is lost ends nobody else's.
     *
     * @param lost told of it in a sentence
     * @return how many were lost
     */
    int serve(
            final InetSocketAddress own, final int clients, final Service service, final Consumer<String> lost) {
        final ExsSocket listener = listen(own);
        int count = 0;
        for (int client = 0; client < clients; client++) {
            final ExsSocket socket = accept(listener);
            try {
                service.serve(socket);
            } catch (final VerbsException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                lost.accept(e.getMessage());
                count++;
            }
            socket.close();
            // What the lost one had outstanding is not to be taken for an event of the next one.
            while (outstanding > 0) {
                next("close");
            }
        }
        return count;
    }

    private ExsEvent next(final String call) {
        while (queue.qdequeue(events, Long.MAX_VALUE) == 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(call, Errno.ECANCELED, "exs", "interrupted");
            }
        }
        outstanding--;
        return events[0];
    }

    /** The next event, which must be without error. */
    ExsEvent await(final String call) {
        final ExsEvent event = next(call);
        if (event.errno() != 0) {
            throw new VerbsException(
                    call, event.errno(), event.socket().toString(), event.socket().failure());
        }
        return event;
    }

    /** A call was made, and returned that: it brings an event. */
    void called(final String call, final ExsSocket socket, final long result) {
        check(call, socket, result);
        outstanding++;
    }

    /** What a call returned, which must not be negative. */
    static void check(final String call, final ExsSocket socket, final long result) {
        if (result < 0) {
            throw new VerbsException(call, (int) -result, socket.toString(), "it takes no more: " + socket.failure());
        }
    }
}
