package io.vhca.bond.failover;

import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathChannel;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.StandbyTalk;
import io.vhca.bond.member.Member;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The second connection of one vQP, made over the best other path while nothing is wrong: idle, until a recovery of
 * either side takes it and needs no connection manager. Side 0 makes it. Control lock. Owns the connection until then.
 *
 * <pre>
 *   side 0                                         side 1
 *   |-- REQ STANDBY, number n ------------------->|    by the connection manager
 *   |<------------------------------ REP ---------|    both have a queue pair in RTS
 *   :                                             :
 *   |-- ASK n: what a REQ RECOVER says ---------->|    by the channel, from either side
 *   |<-- ACCEPT n: what its REP says -------------|
 *   |-- CONFIRM n ------------------------------->|    both have taken it
 * </pre>
 */
final class Standby implements PathLink.Owner {
    private final Standbys all;
    private final QpRecovery recovery;
    private final BondQueuePair qp;
    private final BondCore core;
    private final StandbyRecords records;
    private @Nullable PathLink link;
    private @Nullable PathChannel channel;
    /** Over {@link #link}, or over the one that was taken last; null before one stands. */
    private @Nullable StandbyTalk talk;
    private int number;
    /** The last one ended by itself: the next is not made before that time, unless a member comes up at either end. */
    private boolean isPutOff;

    private long notBeforeNs;
    private int upsBefore;

    Standby(
            final Standbys all, final QpRecovery recovery, final BondQueuePair qp, final StandbyRecords records) {
        this.all = all;
        this.recovery = recovery;
        this.qp = qp;
        this.records = records;
        core = all.core();
    }

    /** It is there once this is. */
    private QpExchange exchange() {
        return recovery.exchange();
    }

    // ---- what there is ----------------------------------------------------------------------------------------------

    /** True while it stands by, or is being made. */
    boolean isMade() {
        final PathLink now = link;
        return now != null && now.state() != PathLink.State.CLOSED;
    }

    /** The connection while it stands and nobody has taken it, or null. */
    private @Nullable PathLink idle() {
        final PathChannel by = channel;
        return isMade() && talk != null && by != null && by.isEstablished() ? link : null;
    }

    /** The same while no recovery is about to take it. */
    private @Nullable PathLink spare() {
        return talk != null && talk.isUnderWay() ? null : idle();
    }

    boolean isSpare() {
        return spare() != null;
    }

    boolean isSpareOn(final Member member) {
        final PathLink now = spare();
        return now != null && now.member() == member;
    }

    boolean isIdleBy(final PathChannel by) {
        return channel == by && idle() != null;
    }

    /** It stands by on a member that an operator has drained. */
    boolean isOnDrained() {
        final PathLink now = spare();
        return now != null && now.member().isDrained();
    }

    /** It ends at the same address of the peer as the connection in use, and one that carries need not; side 0 asks. */
    boolean hasBetter(final long nowNs) {
        final PathLink now = idle();
        final PathLink inUse = recovery.healthyLink();
        if (now == null || inUse == null || !exchange().mayStandBy() || !now.remote().equals(inUse.remote())) {
            return false;
        }
        final PathId best = exchange().standbyPath(inUse, nowNs);
        // What stands is not given up for a path that may not carry.
        return best != null
                && best.remoteAddress() != exchange().pathOf(inUse).remoteAddress()
                && channelOn(best) != null;
    }

    /** The connection in use failed: others over the same path may have too. */
    void suspect(final PathLink failed) {
        all.channels().suspect(exchange().peer(), failed);
    }

    /** The path that a recovery can take it over, or null where there is none. */
    @Nullable PathId path() {
        final PathLink now = idle();
        return now != null && now.member().isUp() && talk != null && !talk.hasAsked()
                ? exchange().pathOf(now)
                : null;
    }

    /** Where it stands by, for people; empty where it does not. */
    String describe() {
        final PathLink now = idle();
        return now == null ? "" : now.member().name() + " -> " + now.remote().getHostAddress();
    }

    // ---- made -------------------------------------------------------------------------------------------------------

    /** The vQP is healthy, over whichever path: what stands by on the same member is of no use. */
    void settle(final long nowNs) {
        assert core.holdsLock();
        final PathLink now = idle();
        final PathLink inUse = recovery.healthyLink();
        if (path() == null || now == null || inUse == null || now.member() == inUse.member()) {
            drop();
            want(nowNs);
        }
    }

    /** Where the peer's bond knows of such; side 0 makes it. */
    private void want(final long nowNs) {
        if (exchange().mayStandBy()) {
            all.want(this, nowNs);
        }
    }

    /** Begins to make it; false where that cannot be yet, for want of a path or of its channel. */
    boolean make(final long nowNs) {
        assert core.holdsLock();
        final PathLink inUse = recovery.healthyLink();
        if (inUse == null) {
            return true; // settle wants it again
        }
        if (isPutOff && nowNs - notBeforeNs < 0 && ups() == upsBefore) {
            return false;
        }
        final PathId best = exchange().standbyPath(inUse, nowNs);
        if (best == null) {
            return false;
        }
        final PathChannel by = channelOn(best);
        if (by == null) {
            return false;
        }
        final Member member = exchange().member(best);
        drop();
        talk = null;
        channel = by;
        number++;
        link = exchange().tryRecover(
                this, member, exchange().destination(best), records.request(member, number));
        if (link != null) {
            all.begun(this);
        }
        return link != null;
    }

    /** What both sides speak by over that path once it carries; null until then, and it is being opened. */
    private @Nullable PathChannel channelOn(final PathId path) {
        final Member member = exchange().member(path);
        final InetSocketAddress to = exchange().destination(path);
        final PathChannel by = all.channels().own(exchange().peer(), member, to.getAddress());
        if (by == null) {
            all.channels().open(
                    exchange().peer(), member, to,
                    () -> records.channelRequest(member, all.nextNumber()), exchange().hasOlderKey());
        }
        return by;
    }

    /** Side 0 makes one, a newer one in the place of the one before; or it opens what both sides speak by. */
    void onRequest(final SessionRecord record, final PathLink request, final long nowNs) {
        assert core.holdsLock();
        request.speaksFrom(record.sender());
        final int named = record.request().epoch();
        final boolean isTaken = StandbyRecords.asksForChannel(record)
                ? acceptsChannel(named, request, nowNs)
                : accepts(named, request, nowNs);
        if (!isTaken) {
            request.reject(StandbyRecords.refusal(request.member()));
        }
    }

    private boolean acceptsChannel(final int named, final PathLink request, final long nowNs) {
        all.lookBy(nowNs);
        return all.isOn()
                && !request.member().isDrained()
                && all.channels().accept(
                        exchange().peer(), request, named, records.reply(request, named), nowNs);
    }

    private boolean accepts(final int named, final PathLink request, final long nowNs) {
        final PathChannel by = all.channels().ofPeer(exchange().peer(), request);
        if (!all.isOn() || by == null || request.member().isDrained() || recovery.healthyLink() == null
                || Integer.compareUnsigned(named, number) <= 0) {
            return false;
        }
        drop();
        if (!all.hasRoom()) {
            return false;
        }
        talk = null;
        channel = by;
        number = named;
        link = request;
        all.begun(this);
        request.owner(this);
        if (!exchange().tryAnswer(request, records.reply(request, number), nowNs)) {
            drop();
        }
        return true;
    }

    /** It is of no use any more: what is asked over it fails. Idempotent. */
    void drop() {
        assert core.holdsLock();
        final PathLink gone = isMade() ? link : null;
        link = null;
        all.forget(this);
        if (gone != null) {
            gone.close();
        }
    }

    /** Somebody needs the room: it is closed. */
    void giveWay() {
        final StandbyTalk over = talk;
        if (isMade() && over != null) {
            over.giveUp();
        }
        drop();
    }

    /** The same where there is one, and another one is made by and by. */
    void giveUp() {
        if (isMade()) {
            giveWay();
            settle(core.nowNs());
        }
    }

    /** The vQP is over, or begins anew. */
    void end() {
        drop();
        talk = null;
        channel = null;
        number = 0;
    }

    /** It does not stand any more: nobody waits for an answer over it, and another one is made. */
    private void lost(final long nowNs) {
        final StandbyTalk over = talk;
        final PathLink gone = link;
        if (gone != null && isMade()) {
            trace(TraceEventDescriptor.STANDBY_LOST, gone);
            isPutOff = true;
            notBeforeNs = all.againAt(nowNs);
            upsBefore = ups();
        }
        drop();
        if (over != null) {
            over.lost(nowNs);
        }
        if (recovery.machineOrNull() != null && !recovery.isDead()) {
            want(nowNs);
        }
    }

    private void trace(final int event, final PathLink over) {
        core.traceQp(event, qp.qpNum(), over.member().index(), number, 0);
    }

    /** How often a member came up here, and the peer's bond said, as it does then too, what its members are. */
    private int ups() {
        return all.ups() + exchange().peerTellings();
    }

    // ---- taken ------------------------------------------------------------------------------------------------------

    /** This side asks over it, once, with the record of a REQ. */
    PathLink ask(final PathLink.Owner owner, final byte[] record) {
        assert path() != null : "nothing stands by";
        trace(TraceEventDescriptor.STANDBY_ASKED, Objects.requireNonNull(link));
        return Objects.requireNonNull(talk).ask(owner, record, exchange().hasOlderKey());
    }

    /** Whether that link asks over what stands by. */
    boolean carries(final @Nullable PathLink attempt) {
        return talk != null && talk.isAskedBy(attempt);
    }

    /** What the other side says of this one; what it says of one before gets no answer, as of a path that is dead. */
    void onMessage(final PathChannel by, final int kind, final int said, final byte[] data, final long nowNs) {
        assert core.holdsLock();
        if (by != channel || said != number) {
            return;
        }
        final PathLink now = link;
        if (talk == null && now != null && now.state() == PathLink.State.ACCEPTING) {
            // Who speaks of it has had the answer, though the connection manager has not said so yet.
            now.established(new byte[0], ConnectParameters.of(new byte[0]), nowNs);
        }
        if (talk != null) {
            // Over a queue pair of this vQP nothing else may be judged than what recovers it.
            talk.onMessage(kind, data, idle() != null && SealedRecord.isRecoverOf(data, qp.qpNum()), nowNs);
        }
    }

    /** A channel to some peer stands, or is over: what that says of the paths of this vQP. */
    void learn(final PathChannel some, final long nowNs) {
        if (recovery.machineOrNull() != null) {
            recovery.paths().learn(some, nowNs);
        }
    }

    void onChannelOver(final PathChannel gone) {
        if (gone == channel) {
            lost(core.nowNs());
        }
    }

    // ---- what becomes of its connection -----------------------------------------------------------------------------

    @Override
    public ConnectParameters connectParameters() {
        return exchange().connectParameters();
    }

    @Override
    public void prepare(final CmId physical) {
        exchange().prepare(physical);
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        ready.reserveQp(qp::createOn);
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        final PathChannel by = Objects.requireNonNull(channel);
        assert made == link : "whoever dropped it has closed it";
        if (exchange().mayStandBy() && !StandbyRecords.isAnswered(made, reply, number)) {
            lost(nowNs);
            return;
        }
        talk = by.talk(made, recovery.peerQpNum(), number);
        trace(TraceEventDescriptor.STANDBY_READY, made);
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] privateData, final long nowNs) {
        lost(nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        lost(nowNs);
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        lost(nowNs);
    }
}
