package io.vhca.rdp;

import io.vhca.rdp.completion.DatagramSource;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.Port;
import io.vhca.rdp.engine.RdpEngine;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** How one socket is read. Inside the driver. */
final class SocketReceiver {
    private final RdpEngine engine;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final DatagramSource source = new DatagramSource();
    private int lastLength;

    SocketReceiver(final RdpEngine engine) {
        this.engine = engine;
    }

    @Nullable InetSocketAddress receive(final Port port, final ByteBuffer target) {
        final int room = target.remaining();
        view.wrap(target, target.position(), room);
        final int length = engine.ports().receive(port, view, 0, room, source);
        if (length < 0) {
            return null;
        }
        lastLength = length;
        target.position(target.position() + Math.min(room, length));
        return source.address();
    }

    /** Only where the next one has room; it stays where it has not. */
    @Nullable InetSocketAddress receiveWhole(final Port port, final ByteBuffer target) {
        return port.nextFits(target.remaining()) ? receive(port, target) : null;
    }

    int lastLength() {
        return lastLength;
    }

    boolean borrow(final Port port, final BorrowedDatagram target) {
        return engine.ports().borrow(port, target);
    }

    void release(final BorrowedDatagram datagram) {
        engine.ports().release(datagram);
    }
}
