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
import java.util.function.Consumer;

/** A thread of a stress, and the sockets that it looks after by one poller, each in its turn. */
final class StressTask implements Runnable {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RdpSockets driver;
    private final List<StressSocket> sockets;
    private final Map<RdpSocket, StressSocket> bySocket = new HashMap<>();
    private final ByteBuffer out;
    private final ByteBuffer in;
    private final Consumer<String> onFailure;
    private volatile boolean isOver;

    /**
     * Has those sockets.
     *
     * @param longest   datagram that may come
     * @param onFailure hears, once and from this thread, what went wrong; the thread ends then
     */
    StressTask(
            final RdpSockets driver, final List<StressSocket> sockets, final int longest,
            final Consumer<String> onFailure) {
        this.driver = driver;
        this.onFailure = onFailure;
        this.sockets = List.copyOf(sockets);
        sockets.forEach(socket -> bySocket.put(socket.socket(), socket));
        out = ByteBuffer.allocateDirect(longest);
        in = ByteBuffer.allocateDirect(longest);
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
            String failure = "";
            while (!isOver && failure.isEmpty()) {
                for (final RdpSocket ready : poller.poll(LOOK_NS)) {
                    final StressSocket socket = bySocket.get(ready);
                    if (socket != null) {
                        turn(poller, socket, socket.interest());
                    }
                }
                failure = look();
            }
            if (!failure.isEmpty()) {
                onFailure.accept(failure);
            }
        } catch (final VerbsException e) {
            onFailure.accept(String.valueOf(e.getMessage()));
        } catch (final RuntimeException | Error e) {
            onFailure.accept("a thread that looks after sockets has died: " + e);
            throw e;
        }
    }

    private void turn(final RdpPoller poller, final StressSocket socket, final int before) {
        socket.turn(out, in);
        if (socket.interest() != before) {
            poller.add(socket.socket(), socket.interest());
        }
    }

    /** What went wrong with one of the sockets, empty where nothing did. */
    private String look() {
        final long nowNs = System.nanoTime();
        String failure = "";
        for (int i = 0; i < sockets.size() && failure.isEmpty(); i++) {
            sockets.get(i).look(nowNs);
            failure = sockets.get(i).failure();
        }
        return failure;
    }
}
