package io.vhca.tool.rdp;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Datagrams to somebody who sends them back, one after the other, each timed. One thread. */
public final class Ping {
    private static final long SEND_PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final RdpSocket socket;
    private final InetSocketAddress to;
    private final ByteBuffer datagram;
    private final PrintWriter out;

    /** @param size of a datagram, with room for its head */
    public Ping(final RdpSocket socket, final InetSocketAddress to, final int size, final PrintWriter out) {
        this.socket = socket;
        this.to = to;
        this.out = out;
        datagram = ByteBuffer.allocateDirect(size);
    }

    /** What cannot be in one sentence, or an empty string. */
    public static String wrong(final int count, final int size, final int longestMessage) {
        if (size < StressPlan.HEAD || size > longestMessage) {
            return "--size must be " + StressPlan.HEAD + " .. " + longestMessage;
        }
        return count < 1 ? "--count must be at least 1" : "";
    }

    /** Sends so many; how many came back in time. */
    public int run(final int count) {
        final int size = datagram.capacity();
        int back = 0;
        for (int number = 0; number < count; number++) {
            final long sentNs = System.nanoTime();
            datagram.clear().putLong(0, number).putInt(2 * Long.BYTES, size);
            final SendResult result = socket.send(datagram, to, SEND_PATIENCE_NS);
            if (result == SendResult.SENT && isAnswered(number)) {
                back++;
                out.printf(
                        Locale.ROOT, "%d bytes from %s: seq %d, %.1f us%n", size, to, number,
                        (System.nanoTime() - sentNs) / 1e3);
            } else {
                out.println("seq " + number + ": " + (result == SendResult.SENT ? "no answer" : result));
            }
        }
        out.println(count + " sent, " + back + " came back");
        return back;
    }

    /**
     * Whether that one comes back in its time. One before it that comes late is not it, nor is what somebody else has
     * sent, or what has another length: those are passed over.
     */
    private boolean isAnswered(final int number) {
        final long beganNs = System.nanoTime();
        for (long leftNs = StressSocket.ANSWER_PATIENCE_NS; leftNs > 0;
                leftNs = StressSocket.ANSWER_PATIENCE_NS - (System.nanoTime() - beganNs)) {
            datagram.clear();
            final InetSocketAddress from = socket.receive(datagram, leftNs);
            if (from == null) {
                return false;
            }
            // By the port alone: a node may answer by another of its addresses.
            if (from.getPort() == to.getPort() && !datagram.hasRemaining() && datagram.getLong(0) == number) {
                return true;
            }
        }
        return false;
    }
}
