package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Violations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was sent and what was received, per pair of sockets. A datagram that never came is excused where its path was
 * marked failed after it was taken, or where the process of its sender or receiver died.
 */
final class RdpBook {
    /** Added to a port. */
    private static final int DIRECTED = 1 << 16;
    private static final int HEAD = 5 * Integer.BYTES;

    private static final int NUMBER_AT = 3 * Integer.BYTES;

    private final Violations violations;
    private final Map<Pair, Flow> flows = new HashMap<>();
    private int received;
    private int lost;

    /**
     * Two sockets.
     *
     * @param fromLife which process of that host, counted from 0
     */
    record Pair(int from, int fromLife, int fromPort, int to, int toLife, int toPort) {
        /** What is written into memory between the same sockets, which has an order of its own. */
        Pair directed() {
            return new Pair(from, fromLife, fromPort, to, toLife, toPort | DIRECTED);
        }
    }

    private static final class Flow {
        private final List<Integer> failuresAtSend = new ArrayList<>();
        /** Of datagrams that are written into memory: how many others were sent before. */
        private final List<Integer> before = new ArrayList<>();
        private int next;
    }

    RdpBook(final Violations violations) {
        this.violations = violations;
    }

    /** Writes the next datagram of a pair: who sends it, which it is, and bytes that follow from that. */
    int write(final ByteBuffer buffer, final Pair pair, final int lengthBytes) {
        final int number = flow(pair).failuresAtSend.size();
        final int length = Math.max(HEAD, lengthBytes);
        buffer.clear().limit(length);
        buffer.putInt(pair.from).putInt(pair.fromLife).putInt(pair.fromPort).putInt(number).putInt(length);
        refill(buffer);
        return number;
    }

    /** Writes the bytes behind the head anew, as the number in it asks for. */
    void refill(final ByteBuffer buffer) {
        final int number = buffer.getInt(NUMBER_AT);
        for (int at = HEAD; at < buffer.limit(); at++) {
            buffer.put(at, filler(number, at));
        }
        buffer.position(0);
    }

    private static byte filler(final int number, final int at) {
        return (byte) (number * 31 + at);
    }

    private Flow flow(final Pair pair) {
        return flows.computeIfAbsent(pair, key -> new Flow());
    }

    /** The datagram was taken; so often had the path been marked failed until then. */
    void sent(final Pair pair, final int failures) {
        flow(pair).failuresAtSend.add(failures);
    }

    /** The datagram that is to be written into memory was taken. */
    void sentDirected(final Pair pair, final int failures) {
        final Flow flow = flow(pair.directed());
        flow.failuresAtSend.add(failures);
        flow.before.add(sentCount(pair));
    }

    /** A datagram is in memory of a socket, which has received all else that was there. */
    void placed(final ByteBuffer datagram, final int at, final int life, final int port, final int sourcePort) {
        final int begin = datagram.position();
        received(datagram, at, life, port | DIRECTED, sourcePort);
        if (!violations.isEmpty()) {
            return;
        }
        final Pair pair = new Pair(
                datagram.getInt(begin), datagram.getInt(begin + Integer.BYTES), sourcePort, at, life, port);
        final int number = datagram.getInt(begin + NUMBER_AT);
        final Flow directed = flow(pair.directed());
        final Flow other = flow(pair);
        for (int missing = other.next; missing < directed.before.get(number); missing++) {
            if (other.failuresAtSend.get(missing).equals(directed.failuresAtSend.get(number))) {
                violations.report("what was sent before is there", pair.toString(),
                        number + " is in memory, and " + missing + " is not in the socket");
                return;
            }
        }
    }

    /** A datagram was received by a socket. */
    void received(final ByteBuffer datagram, final int at, final int life, final int port, final int sourcePort) {
        received++;
        if (datagram.remaining() < HEAD) {
            violations.report("whole datagrams", "node " + at, datagram.remaining() + " bytes");
            return;
        }
        final Pair pair =
                new Pair(datagram.getInt(), datagram.getInt(), datagram.getInt(), at, life, port);
        final int number = datagram.getInt();
        final int length = datagram.getInt();
        if (length != datagram.limit() || pair.fromPort != sourcePort || !isFilled(datagram, number)) {
            violations.report("whole datagrams", pair.toString(), "number " + number + " came otherwise than it went");
            return;
        }
        final Flow flow = flow(pair);
        if (number < flow.next) {
            violations.report("exactly once, in order", pair.toString(), number + " came after " + (flow.next - 1));
            return;
        }
        if (number >= flow.failuresAtSend.size()) {
            violations.report("exactly once, in order", pair.toString(), number + " was not sent");
            return;
        }
        // What is between must be excused; that is judged when the run is over.
        for (int missing = flow.next; missing < number; missing++) {
            lost++;
            if (flow.failuresAtSend.get(missing).equals(flow.failuresAtSend.get(number))) {
                violations.report("exactly once, in order", pair.toString(), number + " came without " + missing
                        + ", and no path failed between them");
                return;
            }
        }
        flow.next = number + 1;
    }

    private static boolean isFilled(final ByteBuffer datagram, final int number) {
        for (int at = datagram.position(); at < datagram.limit(); at++) {
            if (datagram.get(at) != filler(number, at)) {
                return false;
            }
        }
        return true;
    }

    /** Whether all that this pair was to deliver came, given how often the path has been marked failed by now. */
    boolean isComplete(final Pair pair, final int failuresNow) {
        final Flow flow = flow(pair);
        // The count never falls: what the last one is excused by excuses all before it.
        return flow.next == flow.failuresAtSend.size() || flow.failuresAtSend.getLast() < failuresNow;
    }

    int sentCount(final Pair pair) {
        return flow(pair).failuresAtSend.size();
    }

    int received() {
        return received;
    }

    /** Datagrams that were lost with their paths. */
    int lost() {
        return lost;
    }
}
