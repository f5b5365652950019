package io.vhca.rdp.shared;

import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.access.Credentials;
import io.vhca.rdp.status.ClientStatus;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.agrona.DirectBuffer;

/**
 * A process that is attached to a driver. It makes one call at a time, which is answered before the next is read. It
 * owns that process's sockets and this end of the shared memory. The server's thread alone.
 */
final class ServedClient {
    private final Credentials who;
    private final SocketChannel channel;
    private final SharedRegion region;
    private final GuardedRing calls;
    private final ClientSignals signals;
    private final ServedSockets sockets;
    private volatile long done;
    private boolean hasDetached;

    /** @param longest datagram that the client may send */
    ServedClient(
            final RdpDriver driver, final ServerWork work, final Credentials who, final SocketChannel channel,
            final SharedRegion region, final int longest) {
        this.who = who;
        this.channel = channel;
        this.region = region;
        calls = region.callReader();
        signals = new ClientSignals(region, channel);
        sockets = new ServedSockets(driver, work, who, region.answerWriter(), signals, longest);
    }

    SocketChannel channel() {
        return channel;
    }

    /** Whose process it is. */
    long user() {
        return who.user();
    }

    /** It has said that it ends. */
    boolean hasDetached() {
        return hasDetached;
    }

    /** Any thread. */
    ClientStatus status() {
        return new ClientStatus(who.pid(), who.user(), sockets.open(), done);
    }

    @Override
    public String toString() {
        return "client " + who.pid() + " of user " + who.user();
    }

    /** The driver's end is about to sleep: a call from now on comes with a byte. */
    void sleeps() {
        region.driverSleeps();
    }

    void isAwake() {
        region.driverIsAwake();
    }

    /**
     * Answers a call; false where there is none.
     *
     * @throws CorruptRingException where what it called for is nothing that a client calls for
     */
    boolean serve() {
        if (!calls.next()) {
            return false;
        }
        final DirectBuffer buffer = calls.buffer();
        final int at = calls.offset();
        if (calls.kind() != CallDescriptor.KIND || calls.length() < CallDescriptor.SIZE) {
            throw new CorruptRingException(
                    "it calls by a message of kind " + calls.kind() + " and " + calls.length() + " bytes");
        }
        final long number = buffer.getLong(at + CallDescriptor.NUMBER_OFFSET);
        if (number != done + 1) {
            throw new CorruptRingException("it makes call " + number + " after call " + done);
        }
        final CallVerb verb = CallVerb.of(buffer.getInt(at + CallDescriptor.VERB_OFFSET));
        hasDetached = verb == CallVerb.DETACH;
        // First: who has its answer is counted.
        done = number;
        sockets.call(number, verb, buffer, at, calls.length() - CallDescriptor.SIZE);
        calls.done();
        signals.ring();
        return true;
    }

    /**
     * Ends the client: its sockets are closed, its memory is given back. Where a socket cannot be closed, the memory
     * that it may write to goes when it is collected; the channel is closed in any case.
     */
    void close() throws IOException {
        try {
            sockets.closeAll();
            region.unmap();
        } finally {
            channel.close();
        }
    }
}
