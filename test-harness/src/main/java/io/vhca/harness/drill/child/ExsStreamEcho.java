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
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The other end of {@link ExsStreamJob}: checks what comes and sends it back, up to the end. One thread. */
final class ExsStreamEcho {
    private static final int SLOTS = ExsStreamJob.WINDOW;

    private final ExsQueue queue;
    private final ExsSocket socket;
    private final ExsMemory memory;
    private final long address;
    private final ExsEvent[] events = {new ExsEvent()};
    private long receives;
    private long receivesDone;
    private long sendsDone;
    private long bytes;
    private boolean isEnded;

    private ExsStreamEcho(final Exs exs, final ExsQueue queue, final ExsSocket socket) {
        this.queue = queue;
        this.socket = socket;
        final MemorySegment all = Arena.global().allocate((long) SLOTS * ExsStream.LONGEST, 64);
        memory = exs.mregister(all);
        address = all.address();
    }

    /** Tells the controller where it listens, and waits for the sender; closes nothing. */
    static ExsStreamEcho serve(final ChildControl control, final Context context) {
        final Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller());
        final ExsQueue queue = exs.qcreate(2 * SLOTS + 1);
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(new InetSocketAddress(context.ipGid(1).address(), 0));
        listener.listen(1);
        listener.accept(queue, null);
        final InetSocketAddress at = Objects.requireNonNull(listener.localAddress());
        control.say(DrillLine.of("listening", "host", at.getAddress().getHostAddress(), "port", at.getPort()));
        final ExsEvent[] accepted = {new ExsEvent()};
        if (queue.qdequeue(accepted, TimeUnit.MINUTES.toNanos(1)) == 0) {
            throw new IllegalStateException("nobody connected to the socket of the drill");
        }
        return new ExsStreamEcho(exs, queue, Objects.requireNonNull(accepted[0].accepted()));
    }

    /** One round; true when anything came. */
    boolean doWork() {
        while (receives - sendsDone < SLOTS && !isEnded) {
            socket.recv(memory, slot(receives++), ExsStream.LONGEST, 0, queue, null);
        }
        final boolean any = queue.qdequeue(events, 0) > 0;
        if (any && !isEnded) {
            on(events[0]);
        }
        return any;
    }

    private static long slot(final long number) {
        return number % SLOTS * ExsStream.LONGEST;
    }

    private void on(final ExsEvent event) {
        if (event.errno() != 0) {
            throw new IllegalStateException(
                    "exs: " + event.kind() + " ended with " + Errno.name(event.errno()) + ", " + socket.failure());
        } else if (event.kind() == EventKind.SEND) {
            sendsDone++;
        } else if (event.bytes() == 0) {
            isEnded = true;
            socket.shutdown();
        } else {
            final long at = slot(receivesDone++);
            if (!ExsStream.isRight(address + at, event.bytes(), bytes)) {
                throw new IllegalStateException("exs: what came after byte " + bytes + " is not what was sent");
            }
            bytes += event.bytes();
            socket.send(memory, at, event.bytes(), 0, queue, null);
        }
    }
}
