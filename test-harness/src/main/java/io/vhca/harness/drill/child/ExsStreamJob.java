package io.vhca.harness.drill.child;

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
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A stream over one socket, which the peer sends back: every byte must come back once and in order. */
final class ExsStreamJob extends SideJob {
    /** Sends that are outstanding, and as many receives; a slot of memory each. */
    static final int WINDOW = 4;

    private static final int CALLS = 2 * WINDOW;

    private final ExsQueue queue;
    private final ExsSocket socket;
    private final ExsMemory memory;
    private final long address;
    private final ExsEvent[] events = {new ExsEvent()};
    private final OutageClock outage = new OutageClock();
    private long sends;
    private long sendsDone;
    private long receives;
    private long receivesDone;
    private long sentBytes;
    private long backBytes;
    private boolean isShut;

    /** Connects to where {@link ExsStreamEcho} listens; closes nothing. */
    ExsStreamJob(final Context context, final InetSocketAddress peer) {
        final Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller());
        queue = exs.qcreate(CALLS);
        final MemorySegment all = Arena.global().allocate((long) CALLS * ExsStream.LONGEST, 64);
        memory = exs.mregister(all);
        address = all.address();
        socket = exs.socket(SocketType.STREAM);
        socket.connect(peer, queue, null);
        if (queue.qdequeue(events, TimeUnit.MINUTES.toNanos(1)) == 0 || events[0].errno() != 0) {
            throw new IllegalStateException("the socket of the drill does not connect: " + socket.failure());
        }
    }

    @Override
    boolean doWork() {
        while (receives - receivesDone < WINDOW) {
            socket.recv(memory, slot(WINDOW + receives++ % WINDOW), ExsStream.LONGEST, 0, queue, null);
        }
        while (sends - sendsDone < WINDOW && !isShut) {
            send();
        }
        final boolean any = queue.qdequeue(events, 0) > 0;
        if (any) {
            on(events[0]);
        }
        return any;
    }

    private static long slot(final long index) {
        return index * ExsStream.LONGEST;
    }

    private void send() {
        if (isStopping()) {
            isShut = true;
            socket.shutdown();
            return;
        }
        final int length = ExsStream.length(sends);
        final long slot = slot(sends++ % WINDOW);
        ExsStream.fill(address + slot, length, sentBytes);
        sentBytes += length;
        outage.begin(System.nanoTime());
        socket.send(memory, slot, length, 0, queue, null);
    }

    private void on(final ExsEvent event) {
        if (event.errno() != 0) {
            finish(WRONG + "exs: " + event.kind() + " ended with " + Errno.name(event.errno()) + ", "
                    + socket.failure());
        } else if (event.kind() == EventKind.SEND) {
            sendsDone++;
        } else if (event.bytes() == 0) {
            finish((isShut && backBytes == sentBytes ? "" : WRONG) + "exs: " + backBytes + " of " + sentBytes
                    + " bytes came back over a socket, each once and in order");
        } else if (ExsStream.isRight(address + slot(WINDOW + receivesDone % WINDOW), event.bytes(), backBytes)) {
            receivesDone++;
            backBytes += event.bytes();
            outage.progress(System.nanoTime(), backBytes < sentBytes);
        } else {
            finish(WRONG + "exs: what came back after byte " + backBytes + " is not what was sent");
        }
    }

    @Override
    long longestOutageNs() {
        return outage.longestNs();
    }
}
