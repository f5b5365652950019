package io.vhca.harness.exs;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.MessageFlags;
import io.vhca.exs.SocketType;
import io.vhca.harness.sim.core.Violations;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What goes one way between two sockets: sends with known content, receives of other lengths, and what must hold of
 * their events: each once and in order, every byte once and in order, nothing written beside a receive. The memory of
 * a send is overwritten when its event came, so that who still reads it is found out; that of a receive that failed, so
 * that who still writes there is. The simulator's thread.
 */
final class ExsFlow {
    private static final byte FREE = (byte) 0xEE;
    private static final byte UNTOUCHED = 0x5A;
    private static final int GUARD = 8;
    private static final int SHORT = 200;

    /** A send or a receive that was called, and where its memory is. */
    private record Called(long offset, int length, int flags, long contentAt) {}

    private final String name;
    private final boolean isPackets;
    private final SplittableRandom random;
    private final Violations violations;
    private final int longest;
    private final int sendsAll;
    /** Both ends wait until the socket is ready before each call. */
    private final boolean isPolling;

    private final Turn sending = new Turn(ExsSocket.WRITABLE);
    private final Turn receiving = new Turn(ExsSocket.READABLE);
    private final Side from;
    private final Side to;
    private final List<Called> sends = new ArrayList<>();
    private final List<Called> receives = new ArrayList<>();
    private final List<Called> failed = new ArrayList<>();
    private long sentBytes;
    private long takenBytes;
    private int sendsDone;
    private int receivesDone;
    private int packetsTaken;
    private boolean isShut;
    private boolean isEnded;
    /** Calls may fail: those of a side from the first one on, and no more are made then. */
    private boolean mayFail;

    private boolean hasSendFailed;
    private boolean hasReceiveFailed;

    /** Memory and queue of one side, and its socket once it is connected. */
    static final class Side {
        private final ExsMemory memory;
        private final long address;
        private final long first;
        private final long end;
        private final ExsQueue queue;
        private long used;
        @Nullable ExsSocket socket;

        /** A part of registered memory, which several flows do not share. */
        Side(final ExsMemory memory, final long address, final long from, final long length, final ExsQueue queue) {
            this.memory = memory;
            this.address = address;
            first = from;
            end = from + length;
            this.queue = queue;
            used = from;
        }

        /** A few of them are in use at a time, the longest unused is next. */
        private long place(final int bytes) {
            return used + bytes + GUARD > end ? first : used;
        }

        private void taken(final Called call) {
            used = call.offset + call.length + GUARD;
        }
    }

    /** Whether a call of one direction has its turn, where that is waited for. */
    private static final class Turn {
        private final int event;
        private boolean isAsked;
        private boolean isReady;

        Turn(final int event) {
            this.event = event;
        }

        /** Waits for it, unless it is there, or is waited for already; how much was done. */
        private int ask(final ExsSocket socket, final ExsQueue queue, final ExsFlow flow) {
            if (isAsked || isReady || socket.poll(event, queue, flow) < 0) {
                return 0;
            }
            isAsked = true;
            return 1;
        }
    }

    ExsFlow(
            final String name, final SocketType type, final Side from, final Side to, final SplittableRandom random,
            final Violations violations) {
        this.name = name;
        isPackets = type == SocketType.SEQPACKET;
        this.from = from;
        this.to = to;
        this.random = random;
        this.violations = violations;
        longest = random.nextInt(SHORT, 8_000);
        sendsAll = random.nextInt(1, 16);
        isPolling = random.nextInt(4) == 0;
    }

    private static byte content(final long at) {
        return (byte) (at * 0x9E37_79B9_7F4A_7C15L >>> 40);
    }

    private int drawLength() {
        return random.nextInt(3) == 0 ? random.nextInt(1, longest) : random.nextInt(1, SHORT);
    }

    /** Whether that is the queue of the sending side; else it is of the receiving one. */
    boolean isOf(final ExsQueue queue) {
        return queue == from.queue;
    }

    /** Calls what comes next on the sending side, if anything. Returns how much. */
    int send() {
        final ExsSocket socket = from.socket;
        if (socket == null || isShut || hasSendFailed || random.nextInt(4) > 0) {
            return 0;
        }
        final int length = drawLength();
        if (sends.size() == sendsAll) {
            isShut = true;
            socket.shutdown();
            return 1;
        }
        if (isPolling && !sending.isReady) {
            return sending.ask(socket, from.queue, this);
        }
        final long at = from.place(length);
        for (int i = 0; i < length; i++) {
            NativeMemory.putByte(from.address + at + i, content(sentBytes + i));
        }
        final Called send = new Called(at, length, 0, sentBytes);
        if (socket.send(from.memory, at, length, 0, from.queue, this) < 0) {
            // As many are outstanding as may be, or the connection is over: its events tell, where one is to come.
            hasSendFailed = mayFail && sendsDone == sends.size();
            if (isPolling && !mayFail) {
                violations.report("what is ready does not wait", name, "a send was refused");
            }
            return 0;
        }
        sending.isReady = false;
        from.taken(send);
        sends.add(send);
        sentBytes += length;
        return 1;
    }

    /** Calls a receive, if one is due. Returns how much. */
    int receive() {
        final ExsSocket socket = to.socket;
        if (socket == null || isEnded || hasReceiveFailed || receives.size() - receivesDone > 3
                || random.nextInt(3) > 0) {
            return 0;
        }
        if (isPolling && !receiving.isReady) {
            return receives.size() > receivesDone ? 0 : receiving.ask(socket, to.queue, this);
        }
        final int length = drawLength();
        final int flags = !isPackets && random.nextInt(3) == 0 ? MessageFlags.MSG_WAITALL : 0;
        final long at = to.place(length);
        NativeMemory.fill(to.address + at, length + GUARD, UNTOUCHED);
        if (socket.recv(to.memory, at, length, flags, to.queue, this) < 0) {
            hasReceiveFailed = mayFail && receivesDone == receives.size();
            return 0;
        }
        receiving.isReady = false;
        final Called receive = new Called(at, length, flags, 0);
        to.taken(receive);
        receives.add(receive);
        return 1;
    }

    /** A send completed. */
    void sent(final ExsEvent event) {
        if (sendsDone == sends.size()) {
            violations.report("every call completes once", name, "one send too many");
            return;
        }
        final Called send = sends.get(sendsDone++);
        hasSendFailed |= isFailure(event);
        if (!hasSendFailed && event.bytes() != send.length || hasSendFailed != isFailure(event)) {
            violations.report("every send succeeds", name, event + ": " + event.socket().failure());
        }
        NativeMemory.fill(from.address + send.offset, send.length, FREE);
    }

    /** A receive completed. */
    void received(final ExsEvent event) {
        if (receivesDone == receives.size()) {
            violations.report("every call completes once", name, "one receive too many");
            return;
        }
        final Called receive = receives.get(receivesDone++);
        final boolean isEnd = takenBytes == sentBytes && isShut && (!isPackets || packetsTaken == sends.size());
        hasReceiveFailed |= isFailure(event);
        if (hasReceiveFailed != isFailure(event)) {
            violations.report("every receive succeeds", name, event + ": " + event.socket().failure());
        } else if (hasReceiveFailed) {
            NativeMemory.fill(to.address + receive.offset, receive.length, FREE);
            failed.add(receive);
        } else if (isEnd && event.bytes() == 0) {
            isEnded = true;
        } else {
            check(receive, event);
        }
    }

    /** A socket is ready for a call. */
    void ready(final ExsEvent event) {
        final Turn turn = event.socket() == from.socket ? sending : receiving;
        if (!turn.isAsked || event.errno() != 0 || event.ready() != turn.event) {
            violations.report("who waits until a socket is ready hears of that once", name, event.toString());
        }
        turn.isAsked = false;
        turn.isReady = true;
    }

    private boolean isFailure(final ExsEvent event) {
        if (event.errno() != 0 && !(mayFail && event.errno() == Errno.ECONNRESET)) {
            violations.report("errors are the right ones", name, event + ": " + event.socket().failure());
        }
        return event.errno() != 0;
    }

    /** The connection may be over for good from now on. */
    void mayFail() {
        mayFail = true;
    }

    /** What failed is nobody's but the application's. */
    void checkFailed() {
        for (final Called receive : failed) {
            for (int i = 0; i < receive.length; i++) {
                if (NativeMemory.getByte(to.address + receive.offset + i) != FREE) {
                    violations.report("nothing is written after the event", name, "byte " + i + " of a receive");
                    return;
                }
            }
        }
    }

    private void check(final Called receive, final ExsEvent event) {
        long at = takenBytes;
        if (isPackets) {
            if (packetsTaken == sends.size()) {
                violations.report("every message once", name, "one too many");
                return;
            }
            final Called packet = sends.get(packetsTaken++);
            at = packet.contentAt;
            takenBytes = at + packet.length;
            if (event.bytes() != Math.min(packet.length, receive.length)
                    || event.isTruncated() != packet.length > receive.length) {
                violations.report("messages keep their bounds", name, event + " of " + packet.length);
            }
        } else {
            takenBytes += event.bytes();
            final boolean isFull = event.bytes() == receive.length;
            final boolean mayLack = receive.flags == 0 || isShut && takenBytes == sentBytes || mayFail;
            if (event.bytes() == 0 || !isFull && !mayLack) {
                violations.report("receives are filled", name, event + " of " + receive.length);
            }
        }
        for (int i = 0; i < receive.length + GUARD; i++) {
            if (mayFail && i >= event.bytes() && i < receive.length) {
                continue; // the next bytes may have been on their way there
            }
            final byte expected = i < event.bytes() ? content(at + i) : UNTOUCHED;
            if (NativeMemory.getByte(to.address + receive.offset + i) != expected) {
                violations.report("every byte once and in order", name, "byte " + (at + i) + " of the flow");
                return;
            }
        }
    }

    /** True when all was sent, received, and its end read, and nothing is outstanding. */
    boolean isDone() {
        return isShut && isEnded && sendsDone == sends.size() && receivesDone == receives.size();
    }

    /** The same for the calls of one side, where those may have failed. */
    boolean isOver(final ExsQueue queue) {
        return isOf(queue)
                ? sendsDone == sends.size() && (isShut || hasSendFailed)
                : receivesDone == receives.size() && (isEnded || hasReceiveFailed);
    }

    /** How many calls there will be, about, and how many of them are over. */
    int calls() {
        return 2 * sendsAll;
    }

    int callsDone() {
        return sendsDone + receivesDone;
    }

    boolean hasFailed() {
        return hasSendFailed || hasReceiveFailed;
    }

    @Override
    public String toString() {
        return name + ": " + sendsDone + " of " + sends.size() + " sends, " + receivesDone + " of " + receives.size()
                + " receives, " + takenBytes + " of " + sentBytes + " bytes" + (isShut ? ", shut" : "")
                + (isEnded ? ", ended" : "") + (hasSendFailed ? ", sends failed" : "")
                + (hasReceiveFailed ? ", receives failed" : "");
    }
}
