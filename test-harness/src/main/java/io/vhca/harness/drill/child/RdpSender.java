package io.vhca.harness.drill.child;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.engine.SendResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sockets that send datagrams, each to one of the peer's, which sends them back: all must come back once and in order.
 * One of the peer's may be slow; the others must not feel it. One thread.
 */
final class RdpSender {
    /** Sockets of a process, the slow one apart. */
    static final int SOCKETS = 12;

    private static final int WINDOW = 8;
    /** More than a slow receiver may have waiting: its senders are told to wait. */
    private static final int SLOW_WINDOW = 4_096;

    private static final long PACE_NS = 4_000_000;
    private static final long SLOW_PACE_NS = 500_000;

    /** One socket and where it sends to. */
    private static final class Flow {
        final RdpSocket socket;
        final InetSocketAddress to;
        final boolean isSlow;
        final OutageClock outage = new OutageClock();
        int sent;
        int back;
        int waits;
        long sentNs;

        Flow(final RdpSocket socket, final InetSocketAddress to, final boolean isSlow) {
            this.socket = socket;
            this.to = to;
            this.isSlow = isSlow;
        }
    }

    private final List<Flow> flows = new ArrayList<>();
    private final ByteBuffer buffer = RdpDatagram.buffer();
    private String wrong = "";

    /**
     * Binds a socket for each of the peer's.
     *
     * @param slowPort of the peer's slow socket, 0 for none
     */
    RdpSender(final RdpSockets sockets, final InetAddress peer, final int firstPort, final int slowPort) {
        for (int i = 0; i < SOCKETS; i++) {
            flows.add(new Flow(sockets.bind(0), new InetSocketAddress(peer, firstPort + i), false));
        }
        if (slowPort != 0) {
            flows.add(new Flow(sockets.bind(0), new InetSocketAddress(peer, slowPort), true));
        }
    }

    /** One round; true when anything came or went. */
    boolean doWork(final boolean isStopping) {
        boolean any = false;
        for (int i = 0; i < flows.size() && wrong.isEmpty(); i++) {
            any |= takeBack(i);
            any |= !isStopping && send(i, System.nanoTime());
        }
        return any;
    }

    private boolean send(final int index, final long nowNs) {
        final Flow flow = flows.get(index);
        if (flow.sent - flow.back >= (flow.isSlow ? SLOW_WINDOW : WINDOW)
                || nowNs - flow.sentNs < (flow.isSlow ? SLOW_PACE_NS : PACE_NS)) {
            return false;
        }
        flow.sentNs = nowNs;
        RdpDatagram.write(buffer, index, flow.sent);
        final SendResult result = flow.socket.send(buffer, flow.to);
        switch (result) {
            case SENT -> {
                flow.sent++;
                flow.outage.begin(nowNs);
            }
            case WOULD_BLOCK, NO_BUFFERS -> flow.waits++;
            default -> wrong = "a send to " + flow.to + " was " + result;
        }
        return result == SendResult.SENT;
    }

    private boolean takeBack(final int index) {
        final Flow flow = flows.get(index);
        buffer.clear();
        if (flow.socket.receive(buffer) == null) {
            return false;
        }
        buffer.flip();
        if (RdpDatagram.isRight(buffer, index, flow.back)) {
            flow.back++;
            flow.outage.progress(System.nanoTime(), flow.back < flow.sent);
        } else {
            wrong = "what came back after datagram " + flow.back + " of " + flow.to + " is not the next one";
        }
        return true;
    }

    /** Everything that was sent is back, or something is wrong. */
    boolean isComplete() {
        return !wrong.isEmpty() || flows.stream().allMatch(flow -> flow.back == flow.sent);
    }

    /** What is wrong; empty for nothing. */
    String wrong() {
        return wrong;
    }

    int datagrams() {
        return flows.stream().mapToInt(flow -> flow.back).sum();
    }

    /** How often the slow receiver's sender was told to wait. */
    int waits() {
        return flows.stream().filter(flow -> flow.isSlow).mapToInt(flow -> flow.waits).sum();
    }

    /** The longest outage of those whose receiver is not slow. */
    long longestOutageNs() {
        return flows.stream().filter(flow -> !flow.isSlow).mapToLong(flow -> flow.outage.longestNs()).max().orElse(0);
    }
}
