package io.vhca.rdp.shared;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** What a client is told beside answers: what its sockets are ready for, and that it is to wake. Server's thread. */
final class ClientSignals {
    private final SharedRegion region;
    private final SocketChannel channel;
    private final ByteBuffer oneByte = ByteBuffer.allocateDirect(1);

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
