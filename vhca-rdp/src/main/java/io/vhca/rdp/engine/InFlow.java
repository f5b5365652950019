package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What one socket of another node sends to one port here: puts its messages in the order of their sequence, whatever
 * connections they took, and segments together. The port is null where there is none, or was closed: messages are
 * counted and dropped then, so that the flow can end.
 */
final class InFlow {
    static final long NO_END = -1;

    private final Core core;
    private final Peer peer;
    private final int id;
    private final InetSocketAddress source;
    private @Nullable Port port;
    private long expected;
    private long endSequence = NO_END;
    /** Messages that came before those they follow, by their sequence; null where there are none. */
    private @Nullable Buffer @Nullable [] parked;

    private int parkedCount;
    private @Nullable Buffer firstSegment;
    private @Nullable Buffer lastSegment;
    private int segmentBytes;
    private int segments;
    private int answer;
    /** Where the port has it. */
    private int place;

    InFlow(final Core core, final Peer peer, final int id, final int sourcePort, final @Nullable Port port) {
        this.core = core;
        this.peer = peer;
        this.id = id;
        this.port = port;
        source = new InetSocketAddress(peer.address(), sourcePort);
    }

    Peer peer() {
        return peer;
    }

    int id() {
        return id;
    }

    InetSocketAddress source() {
        return source;
    }

    @Nullable Port port() {
        return port;
    }

    /** The kind of record that the peer is to get, 0 for none. */
    int answer() {
        return answer;
    }

    void answer(final int kind) {
        answer = kind;
    }

    int place() {
        return place;
    }

    void place(final int index) {
        place = index;
    }

    /**
     * A message arrived; the buffer is this flow's now.
     *
     * @return false where no message with that sequence can come: the buffer stays the caller's
     */
    boolean onMessage(final long sequence, final Buffer buffer) {
        final long ahead = sequence - expected;
        if (ahead < 0 || ahead >= (isEnding() ? endSequence - expected : OutFlow.WINDOW)) {
            return false;
        }
        if (ahead == 0) {
            take(buffer);
            if (!isInOrder()) {
                unpark();
            }
            return true;
        }
        return park(sequence, buffer);
    }

    private boolean park(final long sequence, final Buffer buffer) {
        if (parked == null) {
            parked = core.takeWindow();
        }
        final int at = (int) sequence & parked.length - 1;
        if (parked[at] != null) {
            return false;
        }
        parked[at] = buffer;
        parkedCount++;
        return true;
    }

    /** No message waits for one before it, and no room is taken for that: a node may have very many flows here. */
    boolean isInOrder() {
        return parked == null;
    }

    private void unpark() {
        for (Buffer next = takeParked(expected); next != null; next = takeParked(expected)) {
            take(next);
        }
    }

    private @Nullable Buffer takeParked(final long sequence) {
        final @Nullable Buffer @Nullable [] window = parked;
        if (window == null) {
            return null;
        }
        final int at = (int) sequence & window.length - 1;
        final Buffer taken = window[at];
        if (taken != null) {
            window[at] = null;
            if (--parkedCount == 0) {
                parked = null;
                core.giveBack(window);
            }
        }
        return taken;
    }

    private void take(final Buffer buffer) {
        expected++;
        final boolean isPlaced = buffer.offer != null;
        if (isPlaced) {
            peer.flows().placed(buffer);
        }
        if (port == null && buffer.isLast) {
            core.counters.increment(Counter.RX_DROPPED);
        }
        if (port == null || isPlaced) {
            buffer.pool().release(buffer);
            return;
        }
        if (segments == core.config.dataRecvBuffers()) {
            // No datagram is longer: one that has no end would take all receive memory.
            peer.foreign();
            buffer.pool().release(buffer);
            return;
        }
        buffer.flow = this;
        segments++;
        if (lastSegment == null) {
            firstSegment = buffer;
        } else {
            lastSegment.nextSegment = buffer;
        }
        lastSegment = buffer;
        segmentBytes += buffer.length;
        if (buffer.isLast && firstSegment != null) {
            final Buffer whole = firstSegment;
            final int bytes = segmentBytes;
            firstSegment = null;
            lastSegment = null;
            segmentBytes = 0;
            segments = 0;
            port.deliver(whole, bytes);
        }
    }

    /** The sequence of the next message in order. */
    long expected() {
        return expected;
    }

    int heldBuffers() {
        int count = parkedCount;
        for (Buffer segment = firstSegment; segment != null; segment = segment.nextSegment) {
            count++;
        }
        return count;
    }

    /**
     * The sender will send nothing from that sequence on.
     *
     * @return false where that cannot be: it was said before, or something from there on has come, or more is missing
     *     than can be under way
     */
    boolean end(final long sequence) {
        final long ahead = sequence - expected;
        if (isEnding() || ahead < 0 || ahead > OutFlow.WINDOW || isParkedFrom(sequence)) {
            return false;
        }
        endSequence = sequence;
        return true;
    }

    private boolean isParkedFrom(final long sequence) {
        for (long next = sequence; parked != null && next < expected + parked.length; next++) {
            if (parked[(int) next & parked.length - 1] != null) {
                return true;
            }
        }
        return false;
    }

    /** It is known where it ends: the socket that sends by it is closed. */
    boolean isEnding() {
        return endSequence != NO_END;
    }

    /** Everything that was sent has come. */
    boolean isEnded() {
        return endSequence == expected;
    }

    /** The port is closed: what comes still is dropped. */
    void closePort() {
        port = null;
        dropSegments();
    }

    /** It is over, or the connections are gone: what came out of order will never be delivered. */
    void lost() {
        dropSegments();
        for (long next = expected; !isInOrder(); next++) {
            final Buffer buffer = takeParked(next);
            if (buffer != null) {
                buffer.pool().release(buffer);
            }
        }
    }

    private void dropSegments() {
        Buffer segment = firstSegment;
        while (segment != null) {
            final Buffer next = segment.nextSegment;
            segment.pool().release(segment);
            segment = next;
        }
        firstSegment = null;
        lastSegment = null;
        segmentBytes = 0;
        segments = 0;
    }
}
