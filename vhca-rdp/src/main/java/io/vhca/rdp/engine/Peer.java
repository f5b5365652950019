package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import java.net.InetAddress;

/** Another node: its connections as one session, what is sent there, whether it lives. */
public final class Peer {
    /** How long grants wait for a message that takes them along. */
    private static final long GRANT_DELAY_NS = 1_000_000;

    private static final long NONE = Long.MAX_VALUE;

    private final Core core;
    private final int index;
    private final InetAddress address;
    private final Lane[] lanes;
    private final ControlLink control;
    private final PeerFlows flows;
    private final Batches batches;
    private PeerState state = PeerState.IDLE;
    private boolean isAlias;
    private boolean isNamed;
    private boolean isBroken;
    private SessionEnd brokenBy = SessionEnd.NONE;
    private SessionEnd lastEnd = SessionEnd.NONE;
    /** This end connects, and not the other. */
    private boolean isCaller;
    private boolean isBlocked;
    private long blockedUntilNs;
    private int failures;
    private long connectingSinceNs;
    private long heardNs;
    private long spokeNs;
    private long grantsSinceNs = NONE;

    Peer(final Core core, final int index, final InetAddress address) {
        this.core = core;
        this.index = index;
        this.address = address;
        lanes = new Lane[core.lanes()];
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = new Lane(core, this, lane);
        }
        control = new ControlLink(core, this);
        flows = new PeerFlows(core, this);
        batches = new Batches(core, this);
    }

    /** Dense, from 0. A node that is forgotten gives its own to another. */
    public int index() {
        return index;
    }

    public InetAddress address() {
        return address;
    }

    public PeerState state() {
        return state;
    }

    boolean isUp() {
        return state == PeerState.UP;
    }

    /** It is another name of a node, and nothing goes there any more. */
    void alias() {
        isAlias = true;
    }

    public boolean isAlias() {
        return isAlias;
    }

    /** It has just been heard that this is its name. */
    void named() {
        isNamed = true;
    }

    /** Whether that is its own name, as far as was heard since its last session: to call it is not to ask for it. */
    public boolean isNamed() {
        return isNamed;
    }

    /** How often the path there was marked failed. */
    public int failures() {
        return failures;
    }

    /** Why its last session ended. */
    public SessionEnd lastEnd() {
        return lastEnd;
    }

    Lane lane(final int lane) {
        return lanes[lane];
    }

    Lane[] lanes() {
        return lanes;
    }

    ControlLink control() {
        return control;
    }

    PeerFlows flows() {
        return flows;
    }

    Batches batches() {
        return batches;
    }

    /** What waits for the next turn leaves now. */
    void flushBatch() {
        batches.flush();
    }

    /** Whether what came by the connection of batches is counted later, with one that waits; it will be then. */
    boolean defersToBatch() {
        return batches.defers();
    }

    /** Sends fail because a datagram was lost not long ago, or nobody answered. */
    public boolean isBlocked() {
        if (isBlocked && core.nowNs() - blockedUntilNs >= 0) {
            isBlocked = false;
        }
        return isBlocked;
    }

    /** No session and no wait depends on it: who wants to send there was told, and calls it again when he tries. */
    boolean isUnused() {
        return state == PeerState.IDLE && !isBlocked();
    }

    /** How many control messages were taken off the queue, which is being told. */
    int tellControl() {
        return control.tell();
    }

    /** A send wants the node. */
    void connect() {
        if (state == PeerState.IDLE) {
            begin();
            isCaller = true;
            core.transport.connect(this);
        }
    }

    /** A session begins, by this end or the other. */
    void begin() {
        assert state == PeerState.IDLE : "two sessions at once";
        state = PeerState.CONNECTING;
        isBroken = false;
        isCaller = false;
        connectingSinceNs = core.nowNs();
        heardNs = core.nowNs();
        spokeNs = core.nowNs();
        grantsSinceNs = NONE;
        control.begin();
        for (final Lane lane : lanes) {
            lane.begin();
        }
    }

    /** The other end said how many receives it keeps for a class, and for control messages, and what it reads. */
    void credits(final int lane, final int data, final int controls, final boolean readsBatches) {
        lanes[lane].credits(data);
        batches.isUnderstood(readsBatches);
        if (lane == 0) {
            control.credits(controls);
        }
    }

    void up() {
        state = PeerState.UP;
        // To be connected is to be heard of, however long it took.
        heardNs = core.nowNs();
        core.counters.increment(Counter.SESSIONS_OPENED);
        if (!isBlocked()) {
            flows.onUp();
        }
    }

    /**
     * The connections are gone, or are to go.
     *
     * @param why       what status says
     * @param isFailure nobody answered: sends fail for a while even where nothing was lost
     */
    void end(final SessionEnd why, final boolean isFailure) {
        lastEnd = why;
        isNamed = false;
        int lost = 0;
        for (final Lane lane : lanes) {
            lost += lane.unconfirmed();
        }
        core.transport.disconnect(this);
        core.counters.add(Counter.TX_LOST, lost);
        state = PeerState.IDLE;
        isBroken = false;
        for (final Lane lane : lanes) {
            lane.end();
        }
        batches.end();
        flows.lost();
        core.reclaim(index);
        if (lost > 0 || isFailure) {
            isBlocked = true;
            blockedUntilNs = core.nowNs() + core.config.minRecoveryNs();
            core.counters.increment(Counter.PATHS_FAILED);
            failures++;
        }
    }

    /** Everybody who sends to this node tries again. */
    void wakeAll() {
        flows.wakeAll();
    }

    /** Posts a message; where that fails, the next turn ends the session. */
    boolean send(final int lane, final Buffer buffer, final int messageBytes) {
        buffer.pool().posted(buffer, index);
        spokeNs = core.nowNs();
        grantsSinceNs = hasUntold() ? grantsSinceNs : NONE;
        if (!isBroken && core.transport.send(this, lane, buffer, messageBytes)) {
            return true;
        }
        broken(SessionEnd.POST_FAILED);
        return false;
    }

    /** Posts a receive; false where that failed: the next turn ends the session, which takes the buffer back. */
    boolean post(final int lane, final Buffer buffer) {
        buffer.pool().posted(buffer, index);
        if (!isBroken && core.transport.receive(this, lane, buffer)) {
            return true;
        }
        broken(SessionEnd.POST_FAILED);
        return false;
    }

    /** Who breaks the rules breaks the credits too: nothing of this session can be trusted. */
    void foreign() {
        core.counters.increment(Counter.FOREIGN);
        broken(SessionEnd.FOREIGN);
    }

    /** The next turn ends the session; the first reason counts. */
    void broken(final SessionEnd why) {
        brokenBy = isBroken ? brokenBy : why;
        isBroken = true;
        core.noteBroken();
    }

    boolean isBroken() {
        return isBroken;
    }

    void onHeard() {
        heardNs = core.nowNs();
    }

    /** A receive was replaced: the peer is to hear of it soon. */
    void onConsumed() {
        if (grantsSinceNs == NONE) {
            grantsSinceNs = core.nowNs();
        }
    }

    private boolean hasUntold() {
        for (final Lane lane : lanes) {
            if (lane.hasUntold()) {
                return true;
            }
        }
        return false;
    }

    private boolean areGrantsDue(final long nowNs) {
        if (grantsSinceNs == NONE) {
            return false;
        }
        if (nowNs - grantsSinceNs >= GRANT_DELAY_NS) {
            return true;
        }
        for (final Lane lane : lanes) {
            if (lane.isGrantDue()) {
                return true;
            }
        }
        return false;
    }

    int doWork(final long nowNs) {
        if (isBlocked && !isBlocked()) {
            // Who was told that there is no path may try again.
            if (state == PeerState.UP) {
                flows.onUp();
            } else {
                flows.wakeAll();
            }
        }
        if (state == PeerState.IDLE) {
            return 0;
        }
        if (isBroken) {
            end(brokenBy, state == PeerState.CONNECTING && isCaller);
            return 1;
        }
        if (state == PeerState.CONNECTING) {
            if (nowNs - connectingSinceNs >= core.config.connectTimeoutNs()) {
                end(SessionEnd.CONNECT_TIMEOUT, isCaller);
                return 1;
            }
            return 0;
        }
        if (core.toldToNs() - heardNs >= core.config.nodeTimeoutNs()) {
            core.counters.increment(Counter.NODES_DEAD);
            end(SessionEnd.SILENT, false);
            return 1;
        }
        final int flushed = batches.flush();
        for (final Lane lane : lanes) {
            lane.age(nowNs);
        }
        final boolean isBeat = nowNs - spokeNs >= core.config.heartbeatNs();
        final boolean isDue = isBeat || areGrantsDue(nowNs);
        if (isDue) {
            // Where there is no credit to say it with, the next look is later too.
            spokeNs = nowNs;
            grantsSinceNs = grantsSinceNs == NONE ? NONE : nowNs;
        }
        return flushed + control.flush(isDue);
    }

    long nextDeadlineNs() {
        long next = isBlocked ? blockedUntilNs : NONE;
        if (state == PeerState.CONNECTING) {
            next = earlier(next, connectingSinceNs + core.config.connectTimeoutNs());
        } else if (state == PeerState.UP) {
            next = earlier(next, spokeNs + core.config.heartbeatNs());
            next = earlier(next, heardNs + core.config.nodeTimeoutNs());
            for (final Lane lane : lanes) {
                next = earlier(next, lane.nextDeadlineNs());
            }
            next = earlier(next, batches.isOpen() ? core.nowNs() : NONE);
            next = earlier(next, grantsSinceNs == NONE ? NONE : grantsSinceNs + GRANT_DELAY_NS);
        }
        return next;
    }

    static long earlier(final long a, final long b) {
        return a == NONE || b != NONE && b - a < 0 ? b : a;
    }
}
