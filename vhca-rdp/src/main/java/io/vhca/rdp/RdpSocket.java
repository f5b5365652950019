package io.vhca.rdp;

import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A socket for reliable datagrams. What was sent by one socket to another arrives there in order, once, whatever paths
 * it took. That it is delivered to the socket is promised, not that the application there receives it.
 *
 * <p>Calls without a timeout never wait for a peer. Any thread; the calls of several exclude each other. Where its
 * driver is one that all processes share, calls ask that driver and wait for its answer, 30 s at most ({@code
 * -Dvhca.rdp.answer.timeout}); a receive of nothing, or of a short datagram that is here already, asks nobody. When the
 * driver has ended, calls throw ENOTCONN, and go on once another one is there.
 */
public interface RdpSocket extends AutoCloseable {
    /** Own address and port. */
    InetSocketAddress localAddress();

    /**
     * Sends what is between position and limit as one datagram, or says at once why not. When it is
     * {@link SendResult#SENT} the position is at the limit; else nothing has changed.
     */
    SendResult send(ByteBuffer datagram, InetSocketAddress destination);

    /**
     * As {@link #send(ByteBuffer, InetSocketAddress)}, from any memory.
     *
     * @throws IndexOutOfBoundsException where the buffer has not so many bytes there; nothing has changed then
     */
    SendResult send(DirectBuffer buffer, int offset, int lengthBytes, InetSocketAddress destination);

    /**
     * Sends from where the datagram is, without a copy: memory of an {@link java.lang.foreign.Arena}, not of the heap.
     * It is registered once and kept so; {@link RdpSockets#forget} before it is given back to the system. When it is
     * SENT the memory must not change until {@link #poll} says that token. Datagrams shorter than InPlaceSize, and all
     * that go by a shared driver, are copied, and their completion is there at once.
     *
     * @param token what the completion is to say
     */
    SendResult sendInPlace(MemorySegment datagram, InetSocketAddress destination, long token);

    /** The next send in place that is over, in the order in which they ended; false where there is none. */
    boolean poll(SendCompletion target);

    /**
     * As {@link #send(ByteBuffer, InetSocketAddress)}, but waits as long as the destination or the socket takes
     * nothing.
     *
     * @return NO_BUFFERS or WOULD_BLOCK where the time was too short, or the thread is interrupted, which it still is
     */
    SendResult send(ByteBuffer datagram, InetSocketAddress destination, long timeoutNs);

    /** Whether sends there wait for nothing but that the other node is connected, or says that it has the port. */
    boolean isOpening(InetSocketAddress destination);

    /** By what address a receive names who is there: the one that the node calls its own, as soon as that is known. */
    InetSocketAddress nameOf(InetSocketAddress destination);

    /**
     * Receives a datagram into the room between position and limit. What does not fit is lost, as with UDP:
     * {@link #lastLength} tells.
     *
     * @return who sent it; null where there is none. The same object for all of one sender
     * @throws io.vhca.api.VerbsException EMSGSIZE where the driver is shared, and the datagram, which is lost, is
     *     longer than what this process has memory for, as it attached when MaxMessageSize was less
     */
    @Nullable InetSocketAddress receive(ByteBuffer target);

    /**
     * As {@link #receive(ByteBuffer)}, but waits for a datagram; null where none came in that time, or the thread is
     * interrupted, which it still is then.
     */
    @Nullable InetSocketAddress receive(ByteBuffer target, long timeoutNs);

    /**
     * Receives without a copy: the datagram stays in the driver's buffers, and is this socket's share of them until
     * {@link #release}. Who keeps too many stalls his senders. All are to be released before the driver is closed.
     *
     * @param target holds no datagram yet
     * @return whether there was one
     * @throws io.vhca.api.VerbsException EOPNOTSUPP where the driver is not in this process
     */
    boolean borrow(BorrowedDatagram target);

    /** Gives a borrowed datagram back, also after the socket was closed; nothing where none is borrowed. */
    void release(BorrowedDatagram datagram);

    /** How long the datagram was that was received last, though there may have been less room. */
    int lastLength();

    /** Waits until a datagram can be received; false where none came in that time, or the thread is interrupted. */
    boolean awaitReadable(long timeoutNs);

    /** Datagrams that wait to be received. */
    int pending();

    /** SO_SNDBUF: how much of this socket may be on its way. No datagram can be longer. */
    int sendBufferBytes();

    void sendBufferBytes(int bytes);

    /** How long a datagram of this socket may be; to a node that keeps few receives less is {@code TOO_LONG}. */
    int longestDatagram();

    /** SO_RCVBUF: how much may wait in this socket; a share of it stalls the senders. */
    int receiveBufferBytes();

    void receiveBufferBytes(int bytes);

    /** What it is a socket of. */
    RdpSockets driver();

    /** Who is told from now on whenever this socket may have become ready; null for nobody. Beside a poller. */
    void watch(@Nullable ReadyListener listener);

    /** What it is ready for now: {@link RdpPoller#READABLE}, {@link RdpPoller#WRITABLE}, both or nothing. */
    int readyNow();

    /** Closes the socket: what waits in it is lost, what is on its way from it arrives. Idempotent. */
    @Override
    void close();
}
