package io.vhca.rdp;

import io.vhca.api.VerbsException;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/**
 * Where reliable datagram sockets come from: a driver in this process, {@link RdpDriver}, or one that all processes of
 * the host share. Programs that are given this one run over either. Any thread.
 */
public interface RdpSockets extends AutoCloseable {
    /** The address of this node, which all its sockets are bound to. */
    InetAddress address();

    /**
     * A socket.
     *
     * @param port 0 picks one
     * @throws io.vhca.api.VerbsException EADDRINUSE where another socket has that port, EPERM where this user may have
     *                                    none
     */
    RdpSocket bind(int port);

    /** What waits for many sockets of this at once. */
    RdpPoller poller();

    /**
     * Memory that datagrams were sent from, or that was named for some, is about to be given back: it is registered no
     * longer.
     *
     * @throws io.vhca.api.VerbsException EBUSY where that is not over; wait for its completion
     */
    void forget(MemorySegment memory);

    /** One turn, unless another thread gives it one; how much work that was. Who waits for a socket may help so. */
    int doWork(long nowNs);

    /**
     * As {@link #doWork}, by who waits for something else too: what the device refuses now it may grant later. Where
     * that does not end, the driver's own thread says so, once nobody helps.
     */
    default int help(final long nowNs) {
        try {
            return doWork(nowNs);
        } catch (final VerbsException e) {
            System.getLogger(RdpSockets.class.getName())
                    .log(Logger.Level.DEBUG, "a turn of the driver of " + address() + ": " + e.getMessage());
            return 0;
        }
    }

    /**
     * The caller, who gave turns, gives none from now on, but sleeps until a listener tells it. Said before it looks
     * for the last time: else the driver's own thread may find out only a fraction of a millisecond later.
     */
    void waits();

    /** Closes all its sockets. Idempotent. */
    @Override
    void close();
}
