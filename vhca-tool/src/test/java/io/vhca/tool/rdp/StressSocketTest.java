package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A socket whose requests nobody acknowledges says so; late is not never. */
class StressSocketTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int DEPTH = 2;
    private static final int BYTES = 20;

    private final ByteBuffer out = ByteBuffer.allocate(BYTES);
    private final ByteBuffer in = ByteBuffer.allocate(BYTES);
    /** Requests that are to be acknowledged, by number. */
    private final Queue<Long> acknowledged = new ArrayDeque<>();
    /** When the first request was sent, and the last one. */
    private long firstNs;

    private long sentNs;
    private boolean isTaken = true;

    private final StressSocket socket =
            new StressSocket(peer(), new StressPlan(1, 1, DEPTH, BYTES, BYTES, 4_000, 1), PEER);

    private RdpSocket peer() {
        return (RdpSocket) Proxy.newProxyInstance(
                RdpSocket.class.getClassLoader(), new Class<?>[] {RdpSocket.class}, (proxy, method, arguments) -> {
                    final ByteBuffer datagram = (ByteBuffer) arguments[0];
                    if (method.getName().equals("send")) {
                        sentNs = datagram.getLong(Long.BYTES);
                        firstNs = datagram.getLong(0) == 0 ? sentNs : firstNs;
                        return isTaken ? SendResult.SENT : SendResult.WOULD_BLOCK;
                    }
                    final Long number = acknowledged.poll();
                    if (number == null) {
                        return null;
                    }
                    datagram.putLong(0, number).position(BYTES);
                    return PEER;
                });
    }

    /** What it says, that long after it has sent the last time. */
    private String failureAfter(final long passedNs) {
        socket.look(sentNs + passedNs);
        return socket.failure();
    }

    @Test
    void requestsThatNobodyAcknowledgesAreNamed() {
        socket.turn(out, in);
        socket.look(firstNs + PATIENCE_NS);
        assertThat(socket.failure()).isEmpty();
        socket.look(firstNs + PATIENCE_NS + 1);
        assertThat(socket.failure())
                .isEqualTo("no acknowledgement from " + PEER + " for 60 s, 2 requests are on their way");
    }

    /** The one that is left is as old as before, but its peer is there. */
    @Test
    void eachAcknowledgementIsALifeSign() {
        socket.turn(out, in);
        acknowledged.add(0L);
        isTaken = false;
        socket.turn(out, in);
        socket.look(firstNs + PATIENCE_NS + 1);
        assertThat(socket.failure()).isEmpty();
        assertThat(failureAfter(PATIENCE_NS + 1)).endsWith(" 1 requests are on their way");
    }

    /** It waits for nobody while it has nothing on its way; that its sends are refused is another matter. */
    @Test
    void whatWasRefusedIsNotOnItsWay() {
        isTaken = false;
        socket.turn(out, in);
        assertThat(failureAfter(PATIENCE_NS + 1)).isEqualTo("no send to " + PEER + " was taken for 30 s");
    }
}
