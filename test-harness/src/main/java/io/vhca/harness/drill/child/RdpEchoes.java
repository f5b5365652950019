package io.vhca.harness.drill.child;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The other end of {@link RdpSender}: sends each datagram back to its sender. One thread. */
final class RdpEchoes {
    private static final long SLOW_NS = 2_000_000;

    /** One socket, and the datagram that could not be sent back yet. */
    private static final class Echo {
        final RdpSocket socket;
        final boolean isSlow;
        final ByteBuffer buffer = RdpDatagram.buffer();
        @Nullable InetSocketAddress owedTo;
        long takenNs;

        Echo(final RdpSocket socket, final boolean isSlow) {
            this.socket = socket;
            this.isSlow = isSlow;
        }
    }

    private final List<Echo> echoes = new ArrayList<>();

    /** @param slowPort of a socket that takes a datagram now and then, 0 for none */
    RdpEchoes(final RdpSockets sockets, final int firstPort, final int slowPort) {
        for (int i = 0; i < RdpSender.SOCKETS; i++) {
            echoes.add(new Echo(sockets.bind(firstPort + i), false));
        }
        if (slowPort != 0) {
            echoes.add(new Echo(sockets.bind(slowPort), true));
        }
    }

    /** One round; true when anything came or went. */
    boolean doWork() {
        boolean any = false;
        for (final Echo echo : echoes) {
            any |= take(echo, System.nanoTime());
        }
        return any;
    }

    private static boolean take(final Echo echo, final long nowNs) {
        if (echo.owedTo == null) {
            if (echo.isSlow && nowNs - echo.takenNs < SLOW_NS) {
                return false;
            }
            echo.buffer.clear();
            echo.owedTo = echo.socket.receive(echo.buffer);
            if (echo.owedTo == null) {
                return false;
            }
            echo.takenNs = nowNs;
            echo.buffer.flip();
        }
        final SendResult result = echo.socket.send(echo.buffer, echo.owedTo);
        switch (result) {
            case SENT -> echo.owedTo = null;
            case WOULD_BLOCK, NO_BUFFERS -> { } // kept, and tried again
            default -> throw new IllegalStateException("rdp: a datagram to " + echo.owedTo + " was " + result);
        }
        return result == SendResult.SENT;
    }
}
