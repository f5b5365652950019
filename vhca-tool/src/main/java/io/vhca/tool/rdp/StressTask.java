package io.vhca.tool.rdp;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One socket of a stress. The active one keeps its depth of requests on the way and counts that each is acknowledged in
 * order; the passive one acknowledges. One thread each; the counts may be read by another.
 */
final class StressTask implements Runnable {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final RdpSocket socket;
    private final StressPlan plan;
    private final @Nullable InetSocketAddress peer;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private volatile boolean isOver;
    private volatile String failure = "";
    private volatile long sent;
    private volatile long received;
    private volatile long sendNs;
    private volatile long roundTripNs;

    /** @param peer whom to send requests to; null to acknowledge those of others */
    StressTask(
            final RdpSocket socket, final StressPlan plan, final @Nullable InetSocketAddress peer,
            final int longestMessage) {
        this.socket = socket;
        this.plan = plan;
        this.peer = peer;
        out = ByteBuffer.allocateDirect(longestMessage);
        in = ByteBuffer.allocateDirect(longestMessage);
    }

    /** What was counted until now. */
    StressCount count() {
        return new StressCount(sent, received, sendNs, roundTripNs);
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
        while (!isOver && failure.isEmpty()) {
            if (peer == null) {
                acknowledge();
            } else {
                request(peer);
            }
        }
    }

    private void request(final InetSocketAddress to) {
        while (sent - received < plan.depth() && !isOver) {
            out.clear().limit(plan.requestBytes());
            out.putLong(0, sent).putLong(Long.BYTES, System.nanoTime()).putInt(2 * Long.BYTES, plan.ackBytes());
            if (!send(to)) {
                break;
            }
        }
        in.clear();
        final InetSocketAddress from = socket.receive(in, LOOK_NS);
        while (from != null && in.position() > 0) {
            if (!from.equals(to) || in.getLong(0) != received || in.position() != plan.ackBytes()) {
                failure = "acknowledgement " + in.getLong(0) + " came in place of " + received;
                return;
            }
            roundTripNs += System.nanoTime() - in.getLong(Long.BYTES);
            received++;
            in.clear();
            socket.receive(in);
        }
    }

    /** Sends if there is room; where there is not and nothing is on its way, waits for it. */
    private boolean send(final InetSocketAddress to) {
        final long beganNs = System.nanoTime();
        SendResult result = socket.send(out, to);
        if (isBusy(result) && (sent == received || peer == null)) {
            result = socket.send(out, to, PATIENCE_NS);
        }
        if (result == SendResult.SENT) {
            sendNs += System.nanoTime() - beganNs;
            sent++;
            return true;
        }
        if (!isBusy(result) || sent == received) {
            failure = "a send to " + to + " was " + result;
        }
        return false;
    }

    private static boolean isBusy(final SendResult result) {
        return result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS;
    }

    private void acknowledge() {
        in.clear();
        final InetSocketAddress from = socket.receive(in, LOOK_NS);
        if (from != null && in.position() >= StressPlan.HEAD) {
            received++;
            out.clear().limit(Math.clamp(in.getInt(2 * Long.BYTES), StressPlan.HEAD, out.capacity()));
            out.putLong(0, in.getLong(0)).putLong(Long.BYTES, in.getLong(Long.BYTES));
            send(from);
            // Who asked and is gone is no failure of this end.
            failure = "";
        }
    }
}
