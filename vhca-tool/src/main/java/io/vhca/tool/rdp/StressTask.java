package io.vhca.tool.rdp;

import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A thread of a stress, and the sockets that it looks after by one poller, each in its turn. */
final class StressTask implements Runnable {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RdpSockets driver;
    private final List<StressSocket> sockets;
    private final Map<RdpSocket, StressSocket> bySocket = new HashMap<>();
    private final ByteBuffer out;
    private final ByteBuffer in;
    private volatile boolean isOver;
    private volatile String failure = "";

    /** @param longest datagram that may come */
    StressTask(final RdpSockets driver, final List<StressSocket> sockets, final int longest) {
        this.driver = driver;
        this.sockets = List.copyOf(sockets);
        sockets.forEach(socket -> bySocket.put(socket.socket(), socket));
        out = ByteBuffer.allocateDirect(longest);
        in = ByteBuffer.allocateDirect(longest);
    }

    /** What went wrong, empty where nothing did. */
    String failure() {
        return failure;
    }

    void end() {
        isOver = true;
    }

    @Override
    public void run() {
        try (RdpPoller poller = driver.poller()) {
            for (final StressSocket socket : sockets) {
                turn(poller, socket, 0);
            }
            while (!isOver && failure.isEmpty()) {
                for (final RdpSocket ready : poller.poll(LOOK_NS)) {
                    final StressSocket socket = bySocket.get(ready);
                    if (socket != null) {
                        turn(poller, socket, socket.interest());
                    }
                }
                look();
            }
        } catch (final VerbsException e) {
            failure = String.valueOf(e.getMessage());
        }
    }

    private void turn(final RdpPoller poller, final StressSocket socket, final int before) {
        socket.turn(out, in);
        if (socket.interest() != before) {
            poller.add(socket.socket(), socket.interest());
        }
    }

    private void look() {
        final long nowNs = System.nanoTime();
        for (int i = 0; i < sockets.size() && failure.isEmpty(); i++) {
            sockets.get(i).look(nowNs);
            failure = sockets.get(i).failure();
        }
    }
}
