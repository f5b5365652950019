package io.vhca.tool.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One socket of a stress. The active one keeps its depth of requests on the way and counts that each is acknowledged in
 * order; the passive one acknowledges. Its task's thread; the counts may be read by any.
 */
final class StressSocket {
    private static final long SEND_PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    /** For an answer: twice the time that a bond looks for a path, so one that is only late still comes. */
    static final long ANSWER_PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    /** The other sockets of the task have their turn after so many. */
    private static final int MOST_AT_ONCE = 16;

    private final RdpSocket socket;
    private final StressPlan plan;
    private final @Nullable InetSocketAddress peer;
    private volatile String failure = "";
    private volatile long sent;
    private volatile long received;
    private volatile long tries;
    private volatile long sendNs;
    private volatile long roundTripNs;
    private boolean isRefused;
    private long refusedNs;
    /** When the first of the requests on their way was sent, or another one was acknowledged since. */
    private long answeredNs;
    /** Whom an acknowledgement is owed to that was refused, and what of it. */
    private @Nullable InetSocketAddress owedTo;
    private long owedSequence;
    private long owedTimeNs;
    private int owedBytes;

    /** @param peer whom to send requests to; null to acknowledge those of others */
    StressSocket(final RdpSocket socket, final StressPlan plan, final @Nullable InetSocketAddress peer) {
        this.socket = socket;
        this.plan = plan;
        this.peer = peer;
    }

    RdpSocket socket() {
        return socket;
    }

    /** What was counted until now. */
    StressCount count() {
        return new StressCount(sent, received, tries, sendNs, roundTripNs);
    }

    /** What went wrong, empty where nothing did. */
    String failure() {
        return failure;
    }

    /** What its poller is to wait for. */
    int interest() {
        final int readable = owedTo == null ? RdpPoller.READABLE : 0;
        return isRefused ? readable | RdpPoller.WRITABLE : readable;
    }

    /** Does what can be done now. Both buffers are for any datagram. */
    void turn(final ByteBuffer out, final ByteBuffer in) {
        if (peer == null) {
            serve(out, in);
        } else if (takeAcknowledgements(peer, in)) {
            request(peer, out);
        }
    }

    /** Looks whether nothing has moved for too long. */
    void look(final long nowNs) {
        if (peer == null) {
            return;
        }
        final long onTheirWay = sent - received;
        if (onTheirWay > 0 && nowNs - answeredNs > ANSWER_PATIENCE_NS) {
            failure = "no acknowledgement from " + peer + " for " + TimeUnit.NANOSECONDS.toSeconds(ANSWER_PATIENCE_NS)
                    + " s, " + onTheirWay + " requests are on their way";
        } else if (onTheirWay == 0 && isRefused && nowNs - refusedNs > SEND_PATIENCE_NS) {
            failure = "no send to " + peer + " was taken for " + TimeUnit.NANOSECONDS.toSeconds(SEND_PATIENCE_NS)
                    + " s";
        }
    }

    private boolean takeAcknowledgements(final InetSocketAddress to, final ByteBuffer in) {
        for (int i = 0; i < MOST_AT_ONCE; i++) {
            in.clear();
            final InetSocketAddress from = socket.receive(in);
            if (from == null) {
                return true;
            }
            if (!from.equals(to) || in.getLong(0) != received || in.position() != plan.ackBytes()) {
                failure = "acknowledgement " + in.getLong(0) + " came in place of " + received;
                return false;
            }
            answeredNs = System.nanoTime();
            roundTripNs += answeredNs - in.getLong(Long.BYTES);
            received++;
        }
        return true;
    }

    private void request(final InetSocketAddress to, final ByteBuffer out) {
        while (sent - received < plan.depth()) {
            final long nowNs = System.nanoTime();
            if (sent == received) {
                answeredNs = nowNs;
            }
            out.clear().limit(plan.requestBytes());
            out.putLong(0, sent).putLong(Long.BYTES, nowNs).putInt(2 * Long.BYTES, plan.ackBytes());
            final SendResult result = send(out, to);
            if (result != SendResult.SENT) {
                failure = isRefused ? failure : "a send to " + to + " was " + result;
                return;
            }
        }
    }

    private SendResult send(final ByteBuffer out, final InetSocketAddress to) {
        final long beganNs = System.nanoTime();
        final SendResult result = socket.send(out, to);
        tries++;
        final boolean wasRefused = isRefused;
        isRefused = result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS;
        if (isRefused && !wasRefused) {
            refusedNs = beganNs;
        } else if (result == SendResult.SENT) {
            sendNs += System.nanoTime() - beganNs;
            sent++;
        }
        return result;
    }

    /** Goes on where a shared driver has ended: whoever asked misses what is lost, and asks again or not. */
    private void serve(final ByteBuffer out, final ByteBuffer in) {
        try {
            acknowledge(out, in);
        } catch (final VerbsException e) {
            if (e.errno() != Errno.ENOTCONN) {
                throw e;
            }
            // What is owed is lost with the driver: a socket that waited to pay it would hear of no request.
            owedTo = null;
            isRefused = false;
        }
    }

    private void acknowledge(final ByteBuffer out, final ByteBuffer in) {
        for (int i = 0; i < MOST_AT_ONCE; i++) {
            if (owedTo == null) {
                in.clear();
                final InetSocketAddress from = socket.receive(in);
                if (from == null) {
                    return;
                }
                if (in.position() < StressPlan.HEAD) {
                    continue;
                }
                received++;
                owedTo = from;
                owedSequence = in.getLong(0);
                owedTimeNs = in.getLong(Long.BYTES);
                owedBytes = Math.clamp(in.getInt(2 * Long.BYTES), StressPlan.HEAD, out.capacity());
            }
            out.clear().limit(owedBytes);
            out.putLong(0, owedSequence).putLong(Long.BYTES, owedTimeNs);
            send(out, owedTo);
            if (isRefused) {
                return;
            }
            // Who asked and is gone is no failure of this end.
            owedTo = null;
        }
    }
}
