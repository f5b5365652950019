package io.vhca.rdp;

import java.util.List;

/**
 * Waits for many sockets of one driver at once, as poll(2) does. A socket is readable while a datagram waits in it, and
 * writable unless its last send was refused and nothing has changed since. One thread at a time.
 */
public interface RdpPoller extends AutoCloseable {
    int READABLE = 1;
    int WRITABLE = 4;
    /** A send in place is over, {@link RdpSocket#poll} tells which; or named memory is, {@link RdpDirected#poll}. */
    int COMPLETED = 8;

    /**
     * Watches a socket, or changes what it is watched for.
     *
     * @param interest {@link #READABLE}, {@link #WRITABLE}, {@link #COMPLETED}, or several of them
     * @throws io.vhca.api.VerbsException EINVAL where the socket is of another driver, or another poller's
     */
    void add(RdpSocket socket, int interest);

    /** Watches a socket no longer. */
    void remove(RdpSocket socket);

    /**
     * Waits until a socket is ready for what it is watched for, or the thread is interrupted, which it still is then.
     *
     * @param timeoutNs 0: not at all
     * @return the sockets that are; the same list each time, valid until the next call
     * @throws io.vhca.api.VerbsException EINVAL where the driver is closed, also meanwhile
     */
    List<RdpSocket> poll(long timeoutNs);

    /** What a socket is ready for and watched for. */
    int readyFor(RdpSocket socket);

    /** Watches nothing any more; the sockets stay open. */
    @Override
    void close();
}
