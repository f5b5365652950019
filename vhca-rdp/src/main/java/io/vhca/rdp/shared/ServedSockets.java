package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.access.Credentials;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/** The sockets that a driver has for a client, and what is called for on them. The server's thread alone. */
final class ServedSockets {
    /** A socket of a client may hold this part of the driver's receive memory, others want some too. */
    private static final int SHARE_OF_MEMORY = 16;

    private final RdpDriver driver;
    private final ServerWork work;
    private final Credentials who;
    private final ClientSignals signals;
    private final AnswerWriter answers;
    private final AddressBook addresses = new AddressBook();
    private final ServedSocket[] sockets = new ServedSocket[RegionDescriptor.MOST_SOCKETS];
    private final int longest;
    private final ByteBuffer datagram;
    private final UnsafeBuffer datagramView;
    private volatile int open;

    /**
     * A client without sockets.
     *
     * @param ring    for answers
     * @param longest datagram that the client may send; one that comes may fill the ring
     */
    ServedSockets(
            final RdpDriver driver, final ServerWork work, final Credentials who, final OneToOneRingBuffer ring,
            final ClientSignals signals, final int longest) {
        this.driver = driver;
        this.work = work;
        this.who = who;
        this.signals = signals;
        answers = new AnswerWriter(ring, addresses);
        this.longest = longest;
        datagram = ByteBuffer.allocateDirect(answers.room());
        datagramView = new UnsafeBuffer(datagram);
    }

    /** How many there are. Any thread. */
    int open() {
        return open;
    }

    /**
     * Does what is called for, and answers.
     *
     * @param dataBytes of the call's datagram, which stands behind it
     * @throws CorruptRingException where that is nothing that a client calls for
     */
    void call(final long number, final CallVerb verb, final DirectBuffer buffer, final int at, final int dataBytes) {
        answers.begin(number);
        try {
            call(verb, buffer, at, dataBytes);
        } catch (final VerbsException e) {
            answers.failed(e);
        }
    }

    private void call(final CallVerb verb, final DirectBuffer buffer, final int at, final int dataBytes) {
        final int index = buffer.getInt(at + CallDescriptor.SOCKET_OFFSET);
        final long argument = buffer.getLong(at + CallDescriptor.ARGUMENT_OFFSET);
        if (verb == CallVerb.BIND) {
            bind(argument);
            return;
        }
        if (verb == CallVerb.DETACH) {
            answers.done(0);
            return;
        }
        final ServedSocket served = index < 0 || index >= sockets.length ? null : sockets[index];
        if (served == null) {
            throw new CorruptRingException("it calls for socket " + index + ", which it has not");
        }
        final RdpSocket socket = served.socket();
        switch (verb) {
            case SEND -> send(socket, index, buffer, at, dataBytes);
            case RECEIVE -> receive(socket, index, argument);
            case CLOSE -> {
                close(index);
                answers.done(0);
            }
            case PENDING -> answers.done(socket.pending() + (signals.hasLeft(index) ? 1 : 0));
            case IS_OPENING -> answers.done(
                    socket.isOpening(addresses.read(buffer, at + CallDescriptor.PORT_OFFSET)) ? 1 : 0);
            case NAME_OF -> answers.done(
                    0, socket.nameOf(addresses.read(buffer, at + CallDescriptor.PORT_OFFSET)));
            case SEND_BUFFER -> answers.done(socket.sendBufferBytes());
            case RECEIVE_BUFFER -> answers.done(socket.receiveBufferBytes());
            case SET_SEND_BUFFER -> {
                socket.sendBufferBytes(capped(argument));
                answers.done(0);
            }
            case SET_RECEIVE_BUFFER -> {
                socket.receiveBufferBytes(capped(argument));
                answers.done(0);
            }
            case LONGEST_DATAGRAM -> answers.done(Math.min(socket.longestDatagram(), longest));
            case BIND, DETACH -> throw new AssertionError(verb + " was done above");
        }
    }

    /** The size of a socket's buffer, as it may be: never less than it is without asking. */
    private int capped(final long bytes) {
        return Math.clamp(bytes, Integer.MIN_VALUE, driver.mostBufferBytes(SHARE_OF_MEMORY));
    }

    private void bind(final long port) {
        int free = 0;
        while (free < sockets.length && sockets[free] != null) {
            free++;
        }
        if (free == sockets.length) {
            throw new VerbsException(
                    "bind", Errno.ENOBUFS, "client " + who.pid() + " of the driver of " + driver.name(),
                    "a process may have " + sockets.length + " sockets of a shared driver; close one");
        }
        final RdpSocket socket = driver.sockets().bind(driver, Math.clamp(port, -1, Integer.MAX_VALUE), who);
        final ServedSocket served = new ServedSocket(this, socket, free, work);
        sockets[free] = served;
        open++;
        socket.watch(served);
        signals.ready(free, socket.readyNow());
        answers.done(free, socket.localAddress());
    }

    private void send(
            final RdpSocket socket, final int index, final DirectBuffer buffer, final int at, final int dataBytes) {
        final InetSocketAddress to = addresses.read(buffer, at + CallDescriptor.PORT_OFFSET);
        final int result = socket.send(buffer, at + CallDescriptor.SIZE, dataBytes, to).ordinal();
        signals.ready(index, socket.readyNow());
        answers.done(result);
    }

    private void receive(final RdpSocket socket, final int index, final long room) {
        if (signals.hasLeft(index)) {
            // It was left there after the client looked.
            answers.done(AnswerDescriptor.IN_SLOT);
            return;
        }
        datagram.clear().limit(Math.clamp(room, 0, datagram.capacity()));
        final InetSocketAddress from = socket.receive(datagram);
        final int length = socket.lastLength();
        signals.leaveNext(socket, index);
        signals.ready(index, socket.readyNow());
        if (from == null) {
            answers.done(AnswerDescriptor.NO_DATAGRAM);
            return;
        }
        if (Math.min(length, room) > datagram.capacity()) {
            throw new VerbsException(
                    "receive", Errno.EMSGSIZE, "client " + who.pid() + " of the driver of " + driver.name(),
                    "a datagram of " + length + " bytes from " + from + " is lost: the memory of this process has room"
                            + " for " + datagram.capacity() + ", by what MaxMessageSize was when it attached. Attach"
                            + " anew where it is more now");
        }
        answers.datagram(length, from, datagramView, datagram.position());
    }

    /** Says what a socket is ready for, if it is still open. */
    void tell(final ServedSocket socket, final int number) {
        if (sockets[number] != socket) {
            return;
        }
        final boolean isLeft = signals.leaveNext(socket.socket(), number);
        final int bits = socket.socket().readyNow();
        if (isLeft || signals.ready(number) != bits) {
            signals.ready(number, bits);
            signals.ring();
        }
    }

    private void close(final int index) {
        final ServedSocket served = sockets[index];
        if (served != null) {
            sockets[index] = null;
            open--;
            served.socket().watch(null);
            served.socket().close();
            signals.closed(index);
        }
    }

    /** Also those behind one that fails, which is said at the end. */
    void closeAll() {
        Throwable failure = null;
        for (int i = 0; i < sockets.length; i++) {
            try {
                close(i);
            } catch (final RuntimeException | Error e) {
                failure = e;
            }
        }
        if (failure != null) {
            LangUtil.rethrowUnchecked(failure);
        }
    }
}
