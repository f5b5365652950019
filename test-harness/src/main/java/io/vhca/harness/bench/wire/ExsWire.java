package io.vhca.harness.bench.wire;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.exs.EventKind;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A stream over one extended socket; a send counts as carried when the far end has confirmed it. What arrives is not
 * looked at. One thread, which drives the socket, and polls or waits for what comes.
 */
final class ExsWire implements BenchWire, AutoCloseable {
    /**
     * Receives that are outstanding at each end: so many that a peer that sends is told of the next ones while it still
     * has some, however late the receiver's thread has the processor.
     */
    private static final int DEPTH = ToldWire.DEPTH;

    private static final int CALLS = 128;
    /** Events that are taken at once, as many as a queue pair's end takes completions. */
    private static final int POLLED = 16;

    /** How long a wait takes at most before it is looked whether it is to end. */
    private static final long LOOK_NS = 10_000_000;

    private final Exs exs;
    private final ExsQueue queue;
    private final ExsSocket socket;
    private final ExsMemory memory;
    private final long longest;
    private final long waitNs;
    private final ExsEvent[] events = Stream.generate(ExsEvent::new).limit(POLLED).toArray(ExsEvent[]::new);
    private long sends;
    private long sendsDone;
    private long receivedBytes;

    private ExsWire(
            final Exs exs, final ExsQueue queue, final ExsSocket socket, final long longest, final boolean waits) {
        waitNs = waits ? LOOK_NS : 0;
        this.exs = exs;
        this.queue = queue;
        this.socket = socket;
        this.longest = longest;
        memory = exs.mregister(Arena.global().allocate(longest, 4096));
        for (int i = 0; i < DEPTH; i++) {
            receive();
        }
    }

    private static Exs open(final Context context) {
        return Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller());
    }

    /**
     * Listens, and waits for the far end.
     *
     * @param listening hears where
     * @param longest   bytes of a message
     * @param waits     for what comes, instead of polling
     */
    static ExsWire accept(
            final Context context, final Consumer<InetSocketAddress> listening, final long longest,
            final boolean waits) {
        final Exs exs = open(context);
        final ExsQueue queue = exs.qcreate(CALLS);
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(new InetSocketAddress(context.ipGid(1).address(), 0));
        listener.listen(1);
        listener.accept(queue, null);
        listening.accept(Objects.requireNonNull(listener.localAddress()));
        return new ExsWire(exs, queue, Objects.requireNonNull(first(queue).accepted()), longest, waits);
    }

    /** Connects to where the far end listens; the rest as {@link #accept}. */
    static ExsWire connect(
            final Context context, final InetSocketAddress peer, final long longest, final boolean waits) {
        final Exs exs = open(context);
        final ExsQueue queue = exs.qcreate(CALLS);
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        socket.connect(peer, queue, null);
        return new ExsWire(exs, queue, first(queue).socket(), longest, waits);
    }

    private static ExsEvent first(final ExsQueue queue) {
        final ExsEvent[] events = {new ExsEvent()};
        while (queue.qdequeue(events, Long.MAX_VALUE) == 0) {
            Thread.onSpinWait();
        }
        return good(events[0]);
    }

    private static ExsEvent good(final ExsEvent event) {
        if (event.errno() != 0) {
            throw new IllegalStateException(
                    event.kind() + " ended with " + Errno.name(event.errno()) + ": " + event.socket().failure());
        }
        return event;
    }

    private void send(final int sizeBytes) {
        require("send", socket.send(memory, 0, sizeBytes, 0, queue, null));
        sends++;
    }

    private void receive() {
        require("recv", socket.recv(memory, 0, longest, 0, queue, null));
    }

    private void require(final String call, final long result) {
        if (result < 0) {
            throw new IllegalStateException(call + ": " + Errno.name((int) -result) + ", " + socket.failure());
        }
    }

    private boolean poll() {
        final int count = queue.qdequeue(events, waitNs);
        for (int i = 0; i < count; i++) {
            final ExsEvent event = good(events[i]);
            if (event.kind() == EventKind.SEND) {
                sendsDone++;
            } else {
                receivedBytes += event.bytes();
                receive();
            }
        }
        if (count == 0 && waitNs == 0) {
            Thread.yield();
        }
        return count > 0;
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        final long before = sends;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (sends - sendsDone < window) {
                send(sizeBytes);
            }
            poll();
        }
        // What is on its way counts, and the time that it takes: where few sends fit into the time each matters.
        settle();
        return (long) ((double) (sends - before) * sizeBytes * durationNs / (System.nanoTime() - startNs));
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        long trips = 0;
        final long startNs = System.nanoTime();
        for (; System.nanoTime() - startNs < durationNs; trips++) {
            final long answered = receivedBytes + sizeBytes;
            send(sizeBytes);
            while (receivedBytes < answered) {
                poll();
            }
        }
        settle();
        return trips;
    }

    private void settle() {
        while (sendsDone < sends) {
            poll();
        }
    }

    /** Ends the socket and what it is made of; the device stays the caller's. Not needed where the process ends. */
    @Override
    public void close() {
        exs.close();
    }

    @Override
    public void drain() {
        while (poll()) {
            // A stream is confirmed to its last byte: what is left are completions of this end's sends.
        }
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        long answered = receivedBytes;
        while (!until.now()) {
            poll();
            for (; echo && receivedBytes - answered >= sizeBytes; answered += sizeBytes) {
                send(sizeBytes);
            }
        }
    }
}
