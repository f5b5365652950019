package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.CompletionRing;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.lane.PortListener;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A socket as the engine has it: what waits to be received, what is being sent, and whether its senders are stalled.
 * Inside the engine only.
 */
public final class Port {
    /** What a datagram counts for beside its bytes, so that empty ones count too. */
    static final int OVERHEAD = 64;

    private final Core core;
    private final int number;
    private final PortListener listener;
    private final Long2ObjectHashMap<OutFlow> outFlows = new Long2ObjectHashMap<>();
    private final List<InFlow> inFlows = new ArrayList<>();
    private @Nullable Buffer head;
    private @Nullable Buffer tail;
    private int pending;
    private long pendingBytes;
    private long sendHeld;
    /** Pools that lacked a buffer for it, a bit each by their ids. */
    private long awaited;
    private int sendLimit;
    private int receiveLimit;
    private boolean isStalled;
    private boolean isClosed;
    private final CompletionRing completions = new CompletionRing();
    private final PortOffers offers;

    Port(final Core core, final int number, final PortListener listener) {
        this.core = core;
        this.number = number;
        this.listener = listener;
        offers = new PortOffers(core, this);
        sendLimit = core.config.userBufferSize();
        receiveLimit = core.config.userBufferSize();
        core.counters.add(Counter.SOCKETS, 1);
    }

    public int number() {
        return number;
    }

    PortListener listener() {
        return listener;
    }

    Long2ObjectHashMap<OutFlow> outFlows() {
        return outFlows;
    }

    private static long key(final Peer peer, final int destinationPort) {
        return (long) peer.index() << 16 | destinationPort;
    }

    /** The handle by which this socket sends to one destination; the same each time until it {@link OutFlow#isGone}. */
    OutFlow flow(final Peer peer, final int destinationPort) {
        final long key = key(peer, destinationPort);
        OutFlow flow = outFlows.get(key);
        if (flow == null) {
            flow = peer.flows().handle(this, destinationPort);
            outFlows.put(key, flow);
        }
        assert flow.peer() == peer : "a handle of who had the place of " + peer.address() + " before";
        return flow;
    }

    /** The next that goes there has another handle. */
    void forget(final OutFlow flow) {
        final OutFlow known = outFlows.remove(key(flow.peer(), flow.destinationPort()));
        assert known == flow || isClosed : "another handle for port " + flow.destinationPort();
    }

    /** The handle by which what went by another one goes from now on. */
    OutFlow moved(final OutFlow flow, final Peer to) {
        outFlows.remove(key(flow.peer(), flow.destinationPort()));
        return flow(to, flow.destinationPort());
    }

    /** What leads here, in no order. */
    List<InFlow> inFlows() {
        return inFlows;
    }

    void add(final InFlow flow) {
        flow.place(inFlows.size());
        inFlows.add(flow);
    }

    /** The last one takes its place: a node may have very many flows here, and end all of them. */
    void remove(final InFlow flow) {
        final InFlow last = inFlows.removeLast();
        if (last != flow) {
            final InFlow removed = inFlows.set(flow.place(), last);
            assert removed == flow : "another flow has the place of " + flow.source();
            last.place(flow.place());
        }
    }

    /** Datagrams that wait to be received. */
    public int pending() {
        return pending;
    }

    public long pendingBytes() {
        return pendingBytes;
    }

    public boolean isStalled() {
        return isStalled;
    }

    public int sendLimit() {
        return sendLimit;
    }

    /** SO_SNDBUF. */
    public void sendLimit(final int bytes) {
        sendLimit = bytes;
    }

    /** How long a datagram may be. */
    public int longestDatagram() {
        return Math.min(core.config.longestMessage(), sendLimit - OVERHEAD);
    }

    public int receiveLimit() {
        return receiveLimit;
    }

    /** SO_RCVBUF. */
    public void receiveLimit(final int bytes) {
        receiveLimit = bytes;
        mark();
    }

    /** Whether this socket may have so many bytes more on their way. */
    boolean mayHold(final int lengthBytes) {
        return sendHeld == 0 || sendHeld + lengthBytes + OVERHEAD <= sendLimit;
    }

    void holds(final int lengthBytes) {
        sendHeld += lengthBytes + OVERHEAD;
    }

    /** A message of this socket is on the other side, or lost. */
    void sent(final int lengthBytes) {
        sendHeld -= lengthBytes + OVERHEAD;
        assert sendHeld >= 0 : "more came back than was sent";
        if (!isClosed) {
            listener.onWritable();
        }
    }

    /** It waits for a buffer of that pool; false where it did before. */
    boolean awaits(final int pool) {
        final long before = awaited;
        awaited |= 1L << pool;
        return awaited != before;
    }

    /** A pool that it waits for has a buffer. */
    void hasBuffer(final int pool) {
        awaited &= ~(1L << pool);
        if (!isClosed) {
            listener.onWritable();
        }
    }

    /** A send in place is over. */
    void completed(final long token, final boolean isLost) {
        if (!isClosed) {
            completions.add(token, isLost);
            listener.onCompleted();
        }
    }

    /** Whether a send in place is over, or offered memory is its owner's again, and he does not know of it. */
    public boolean hasCompletion() {
        return !completions.isEmpty() || offers.hasReceipt();
    }

    /** Memory that this socket has named for others. */
    public PortOffers offers() {
        return offers;
    }

    /** The next send in place that is over; false where there is none. */
    public boolean poll(final SendCompletion target) {
        return completions.poll(target);
    }

    /** Bytes on their way. */
    public long sendHeld() {
        return sendHeld;
    }

    /** A whole datagram arrived, in order; its first segment keeps the length of all. */
    void deliver(final Buffer whole, final int lengthBytes) {
        assert !isClosed;
        core.counters.increment(Counter.RX_PACKETS);
        core.counters.add(Counter.RX_BYTES, lengthBytes);
        core.counters.add(Counter.RX_PENDING, 1);
        if (tail == null) {
            head = whole;
        } else {
            tail.next = whole;
        }
        tail = whole;
        pending++;
        for (Buffer segment = whole; segment != null; segment = segment.nextSegment) {
            pendingBytes += segment.length + OVERHEAD;
        }
        core.counters.max(Counter.RX_PENDING_HIGH_WATER, pendingBytes);
        mark();
        listener.onReadable();
    }

    /** Whether there is a datagram, and the next one has that room. */
    public boolean nextFits(final int roomBytes) {
        final Buffer first = head;
        return first != null && first.nextSegment == null && first.length <= roomBytes;
    }

    /** The next datagram, which is the caller's to release, or null. */
    @Nullable Buffer take() {
        final Buffer first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
            pending--;
            core.counters.add(Counter.RX_PENDING, -1);
        }
        return first;
    }

    /** The application has a datagram; gives its buffers back. */
    void release(final Buffer whole) {
        Buffer segment = whole;
        while (segment != null) {
            final Buffer next = segment.nextSegment;
            pendingBytes -= segment.length + OVERHEAD;
            segment.release();
            segment = next;
        }
        assert pendingBytes >= 0 : "more was received than came";
        mark();
    }

    /** Above the high mark senders are stalled, below the low one they are released. */
    void mark() {
        final boolean isHigh = pendingBytes > (long) receiveLimit * core.config.highMarkPercent() / 100;
        final boolean isLow = pendingBytes <= (long) receiveLimit * core.config.lowMarkPercent() / 100;
        if (isStalled ? isLow : isHigh) {
            isStalled = isHigh;
            core.counters.add(Counter.STALLED_PORTS, isHigh ? 1 : -1);
            inFlows.forEach(flow -> flow.peer().flows().markChanged(this));
            if (isLow) {
                core.released();
            }
        }
    }

    /** Receive buffers that its datagrams are in, whole ones and such that parts are missing of. */
    int heldBuffers() {
        int count = 0;
        for (Buffer whole = head; whole != null; whole = whole.next) {
            for (Buffer segment = whole; segment != null; segment = segment.nextSegment) {
                count++;
            }
        }
        for (final InFlow flow : inFlows) {
            count += flow.heldBuffers();
        }
        return count;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Drops what waits. */
    void close() {
        isClosed = true;
        final boolean wasStalled = isStalled;
        core.counters.add(Counter.STALLED_PORTS, wasStalled ? -1 : 0);
        isStalled = false;
        core.counters.add(Counter.SOCKETS, -1);
        Buffer whole = take();
        while (whole != null) {
            core.counters.increment(Counter.RX_DROPPED);
            release(whole);
            whole = take();
        }
        if (wasStalled) {
            // Senders of this node hear that it is gone.
            core.released();
        }
    }
}
