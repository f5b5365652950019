package io.vhca.rdp.shared;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.SocketTable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a client is told beside answers: what its sockets are ready for, the short datagrams that are left for them, and
 * that it is to wake. Server's thread.
 */
final class ClientSignals {
    private final SharedRegion region;
    private final SocketChannel channel;
    private final ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
    private final AddressBook addresses = new AddressBook();
    private final ByteBuffer next = ByteBuffer.allocateDirect(RegionDescriptor.SLOT_MOST_BYTES);
    private final UnsafeBuffer nextView = new UnsafeBuffer(next);

    ClientSignals(final SharedRegion region, final SocketChannel channel) {
        this.region = region;
        this.channel = channel;
    }

    /** What a socket is ready for, which the next ring says. */
    void ready(final int socket, final int bits) {
        region.ready(socket, bits);
    }

    int ready(final int socket) {
        return region.ready(socket);
    }

    /** Whether a datagram is left for a socket that its client has not taken. */
    boolean hasLeft(final int socket) {
        return !region.slots().isEmpty(socket);
    }

    /** Leaves the next datagram where the client finds it, if it is short and there is room; whether it did. */
    boolean leaveNext(final RdpSocket from, final int socket) {
        if (hasLeft(socket)) {
            return false;
        }
        final InetSocketAddress source = SocketTable.receiveWhole(from, next.clear());
        if (source == null) {
            return false;
        }
        region.slots().fill(socket, source, addresses, nextView, next.position());
        return true;
    }

    /** The client has that socket no more. */
    void closed(final int socket) {
        region.slots().empty(socket);
        region.ready(socket, 0);
    }

    /** After something was written that the client may wait for. */
    void ring() {
        if (region.wakeClient()) {
            try {
                // Where there is no room for it, bytes that wake it are there.
                channel.write(oneByte.clear());
            } catch (final IOException e) {
                // It has ended: the server reads that next.
                assert e.getMessage() != null;
            }
        }
    }
}
