package io.vhca.rdp.engine;

import io.vhca.rdp.lane.TurnQueue;
import java.util.Arrays;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What one socket here sends to one port of another node. Messages of it carry a sequence that counts over all size
 * classes.
 *
 * <pre>
 *   CLOSED --open--> OPENING --opened--> OPEN --socket or port closed--> ENDING --ended--> CLOSED or REFUSED
 *                       `---refused--> REFUSED --a while--> CLOSED
 * </pre>
 */
public final class OutFlow {
    /** How far a message may be ahead of the first that is missing. A power of two. */
    static final int WINDOW = 1024;

    /** State of a flow. */
    enum State {
        CLOSED,
        OPENING,
        OPEN,
        ENDING,
        REFUSED
    }

    private final Port port;
    private final Peer peer;
    private final int destinationPort;
    private State state = State.CLOSED;
    private int id = -1;
    private long sequence;
    private @Nullable RemotePort remote;
    private @Nullable InFlow local;
    /** The one that it has become, when the node turned out to have another name. */
    private @Nullable OutFlow successor;
    private boolean isForgotten;
    private boolean isWanted;
    private boolean isClosed;
    private boolean wasRefused;
    private boolean isDirty;
    private boolean awaitsGrant;
    private long refusedUntilNs;
    /** All messages before this one have arrived. */
    private long base;
    /** So will all before this one have, when every lane was granted what it had sent then. */
    private long mark;
    private final long[] sentAtMark;
    private final TurnQueue.Turn[] turns;
    /** Memory there that this socket may write to, by tag; null as long as none ever was. */
    private @Nullable Long2ObjectHashMap<PeerOffers.Place> places;
    /** Credits were asked for last for something into one of these places. */
    private boolean isAskedByName;

    OutFlow(final Port port, final Peer peer, final int destinationPort, final int lanes) {
        this.port = port;
        this.peer = peer;
        this.destinationPort = destinationPort;
        sentAtMark = new long[lanes];
        turns = new TurnQueue.Turn[lanes];
        Arrays.setAll(turns, lane -> new TurnQueue.Turn(this::onTurn));
    }

    /** There are credits for it: while it is closed, or the port there takes nothing of it, others may have them. */
    private boolean onTurn() {
        if (isClosed || isStalled() && !isAskedByName) {
            return false;
        }
        isAskedByName = false; // who asks once more says so again
        port.listener().onWritable();
        return true;
    }

    /** The flow that is used in place of this one; this one mostly. */
    public OutFlow latest() {
        OutFlow flow = this;
        while (flow.successor != null) {
            flow = flow.successor;
        }
        return flow;
    }

    void becomes(final OutFlow other) {
        assert state == State.CLOSED && other != this : "a flow that is open was moved";
        successor = other;
    }

    /** Nothing can be sent by it any more: the same socket has, or gets, another one for the same destination. */
    public boolean isGone() {
        return latest().isForgotten;
    }

    /** To another node: nothing is known of the port there, and nobody waits for it. */
    boolean isIdle(final long nowNs) {
        return !isWanted
                && !isRefused(nowNs)
                && state == State.CLOSED
                && (places == null || places.isEmpty());
    }

    /** What is to be sent next is into memory that the port there has named: it takes that while it is stalled too. */
    void askByName() {
        isAskedByName = true;
    }

    void forgotten() {
        assert state == State.CLOSED || state == State.REFUSED : "the peer knows of it";
        isForgotten = true;
        port.forget(this);
    }

    Port port() {
        return port;
    }

    Peer peer() {
        return peer;
    }

    int destinationPort() {
        return destinationPort;
    }

    State state() {
        return state;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Sends wait for the other node: it is being connected, or asked for the port. */
    public boolean isOpening() {
        return isWanted && state == State.CLOSED || state == State.OPENING;
    }

    /** A send wants it, and it is not open: opens what is missing, as far as that can be now. */
    SendResult want(final long nowNs) {
        if (peer.isBlocked() || isRefused(nowNs)) {
            return SendResult.UNREACHABLE;
        }
        isWanted = true;
        if (!peer.isUp()) {
            peer.connect();
        } else if (state == State.CLOSED) {
            peer.flows().open(this);
        }
        return SendResult.WOULD_BLOCK;
    }

    int id() {
        return id;
    }

    /** The sequence of the next message. */
    long sequence() {
        return sequence;
    }

    long takeSequence() {
        return sequence++;
    }

    /**
     * Whether the receiver has room to put so many messages more in order, should one of a slower lane be missing.
     * Where it has none this flow is told when the peer has taken more.
     */
    boolean isWithinWindow(final Lane[] lanes, final int messages) {
        if (sequence + messages - base <= WINDOW / 2) {
            return true;
        }
        // Then all that was sent has arrived, or a grant comes that tells whom it refuses.
        for (int marks = 0; marks < 2 && isMarkGranted(lanes); marks++) {
            base = mark;
            mark = sequence;
            for (int lane = 0; lane < lanes.length; lane++) {
                sentAtMark[lane] = lanes[lane].window().sent();
            }
        }
        if (sequence + messages - base <= WINDOW) {
            return true;
        }
        if (!awaitsGrant) {
            awaitsGrant = true;
            peer.flows().awaitGrant(this);
        }
        return false;
    }

    private boolean isMarkGranted(final Lane[] lanes) {
        for (int lane = 0; lane < lanes.length; lane++) {
            if (!lanes[lane].window().isGranted(sentAtMark[lane])) {
                return false;
            }
        }
        return true;
    }

    /** The peer has taken more: what its window refused may be taken now. */
    void granted() {
        awaitsGrant = false;
        if (!isClosed) {
            port.listener().onWritable();
        }
    }

    /** The port there takes nothing now. */
    boolean isStalled() {
        return remote != null && remote.isStalled();
    }

    @Nullable RemotePort remote() {
        return remote;
    }

    void opening(final int flowId, final RemotePort to, final Lane[] lanes) {
        assert state == State.CLOSED;
        state = State.OPENING;
        id = flowId;
        sequence = 0;
        base = 0;
        mark = 0;
        for (int lane = 0; lane < lanes.length; lane++) {
            sentAtMark[lane] = lanes[lane].window().sent();
        }
        remote = to;
        isWanted = false;
        wasRefused = false;
    }

    void opened() {
        state = State.OPEN;
    }

    /** @param isByPeer the port there was closed */
    void ending(final boolean isByPeer) {
        state = State.ENDING;
        wasRefused |= isByPeer;
    }

    /** The id is free; for a while the port counts as missing, where the peer said so. */
    void ended(final long untilNs) {
        state = wasRefused ? State.REFUSED : State.CLOSED;
        refusedUntilNs = untilNs;
        id = -1;
        remote = null;
    }

    void refused(final long untilNs) {
        wasRefused = true;
        ended(untilNs);
    }

    /** The connections are gone, and with them what the peer knew of this flow. */
    void lost() {
        state = State.CLOSED;
        id = -1;
        remote = null;
        wasRefused = false;
        isDirty = false;
    }

    /** Whether the port is known to be missing still. */
    boolean isRefused(final long nowNs) {
        if (state == State.REFUSED && nowNs - refusedUntilNs >= 0) {
            state = State.CLOSED;
        }
        return state == State.REFUSED || state == State.ENDING;
    }

    boolean isWanted() {
        return isWanted;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Its socket is closed. */
    void closed(final Lane[] lanes) {
        isClosed = true;
        isWanted = false;
        for (final Lane lane : lanes) {
            lane.leave(this);
        }
    }

    boolean markDirty() {
        final boolean was = isDirty;
        isDirty = true;
        return !was;
    }

    void clean() {
        isDirty = false;
    }

    /** The memory that is offered by that tag, null for none. */
    PeerOffers.@Nullable Place place(final long tag) {
        return places == null ? null : places.get(tag);
    }

    void addPlace(final PeerOffers.Place place) {
        if (places == null) {
            places = new Long2ObjectHashMap<>();
        }
        places.put(place.tag(), place);
    }

    void removePlace(final long tag) {
        if (places != null) {
            places.remove(tag);
        }
    }

    /** Its place where it waits for credits of a lane. */
    TurnQueue.Turn turn(final int lane) {
        return turns[lane];
    }

    /** To a port of the same node: where it arrives. */
    @Nullable InFlow local() {
        return local;
    }

    void local(final InFlow flow) {
        local = flow;
    }
}
