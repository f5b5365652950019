package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpState;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.FailoverTimer;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.SendError;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpLifecycle;
import io.vhca.recovery.BondError;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryActions;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.VqpIdentity;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the recovery machine of one vQP decides, and tells it what happens. Control lock.
 *
 * <p>{@link QpAttachment} is the physical QP that it fences and drains, {@link QpExchange} the connections by which it
 * meets the peer's bond.
 */
public final class QpRecovery implements RecoveryActions, QpLifecycle {
    private final BondQueuePair qp;
    private final BondCore core;
    private final Recoveries recoveries;
    private final Recoveries.Scope scope;
    private final Sessions sessions;
    private final QpAttachment attachment;
    private final QpExchange exchange;
    private final FailoverTimer timer;
    private final CompletionWatchdog watchdog;
    private final OutOfBandConnect outOfBand;
    private ConnectionOwner owner = ConnectionOwner.NONE;
    private @Nullable QpIdentity identity;
    private @Nullable RecoveryMachine machine;
    private @Nullable RemotePaths paths;
    private @Nullable PlainConnection plain;
    private boolean draining;
    private boolean dead;

    QpRecovery(final Recoveries recoveries, final BondQueuePair qp) {
        this.recoveries = recoveries;
        this.qp = qp;
        scope = recoveries.scope();
        core = scope.core();
        sessions = scope.sessions();
        attachment = new QpAttachment(core, qp, recoveries.standbys()::giveWay, () -> exchange().giveUpStandby());
        exchange = new QpExchange(recoveries, this, qp, attachment);
        timer = new FailoverTimer(
                qp.qpNum(), () -> core.stageClock().nanoTime(), core.counters(), core.events()::failover);
        watchdog = new CompletionWatchdog(core.config().silenceNs());
        outOfBand = new OutOfBandConnect(recoveries, this, qp);
    }

    /** The recovery of a vQP. */
    public static QpRecovery of(final BondQueuePair qp) {
        return (QpRecovery) qp.lifecycle();
    }

    /** Null before the first connection. */
    public @Nullable RecoveryMachine machineOrNull() {
        return machine;
    }

    public RecoveryMachine machine() {
        return Objects.requireNonNull(machine);
    }

    public QpIdentity identity() {
        return Objects.requireNonNull(identity);
    }

    public RemotePaths paths() {
        return Objects.requireNonNull(paths);
    }

    private long nowNs() {
        return core.nowNs();
    }

    // ---- begin of a session -----------------------------------------------------------------------------------------

    /** A virtual CM id connects the vQP. */
    public void belongsTo(final ConnectionOwner id) {
        assert core.holdsLock();
        owner = id;
    }

    /** The physical queue pair under the vQP. */
    @Override
    public QpAttachment attachment() {
        return attachment;
    }

    /** The first connection stands. */
    public void begin(final QpIdentity who, final PathLink made, final ConnectParameters given, final long nowNs) {
        assert core.holdsLock();
        exchange.begin(made, given);
        beginAnew(who);
        final PathId path = new PathId(made.member().index(), paths().indexOf(made.remote()));
        paths().table().succeeded(path, nowNs);
        machine().usePath(path);
        machine().onEstablished(nowNs);
        attachment.attachSends(made, who.peer());
        qp.connected();
        attachment.openGates();
        exchange.settle(nowNs);
    }

    /** The first connection stands, and the peer has no bond. */
    public void beginPlain(final PathLink made) {
        assert core.holdsLock() && machine == null : "a session is never continued without the bond";
        plain = new PlainConnection(core, this, qp, made);
        plain.begin();
        qp.connected();
        attachment.openGates();
    }

    public @Nullable PlainConnection plain() {
        return plain;
    }

    public boolean isPlainClosed() {
        return plain != null && plain.isClosed();
    }

    /** Opens the control link to the peer's bond, where there is none yet: so that both sides know all paths. */
    public void meet() {
        assert core.holdsLock();
        scope.contact().meet(qp);
    }

    public int peerPort() {
        return scope.portOf(identity().peerQpNum());
    }

    /** The vQP is the bond's own. */
    public void hide() {
        timer.hide();
    }

    /** A session begins. An attempt to connect in the session before is given up: nothing was received over it. */
    void beginAnew(final QpIdentity who) {
        assert core.holdsLock();
        if (identity != null) {
            draining = false;
            exchange.rejectAll();
            exchange.end();
            attachment.drop();
            sessions.leave(identity.session());
            recoveries.idle(this);
        }
        identity = who;
        paths = paths != null ? paths : new RemotePaths(scope.members(), scope.preference(), who.peer(), who.place());
        machine = new RecoveryMachine(
                new VqpIdentity(core.name(), who.session(), qp.qpNum(), who.peerQpNum(), who.side()),
                core.config().recovery(), paths().table(), core.random(), this, core.events());
        sessions.begin(who.session(), who.peer(), qp.qpNum());
    }

    /** How it came, or comes, to be connected when modifyQp alone brings it up. */
    @Override
    public OutOfBandConnect outOfBand() {
        return outOfBand;
    }

    /** True for a vQP that is connected, or that a CM id connects. */
    boolean isTaken() {
        return machine != null || owner != ConnectionOwner.NONE;
    }

    public boolean isDead() {
        return dead;
    }

    QpExchange exchange() {
        return exchange;
    }

    // ---- what happens -----------------------------------------------------------------------------------------------

    /** The peer's bond answered what sends wait for. */
    public void onKeysHeard() {
        assert core.holdsLock();
        attachment.renewKeys();
    }

    public void onPathFailure(final FailureReason reason, final long nowNs) {
        assert core.holdsLock();
        if (plain != null && !dead && reason != FailureReason.PLANNED) {
            plain.fail();
        } else if (machine != null && !dead) {
            machine().onPathFailure(reason, nowNs);
        }
    }

    /** Watches the physical queue pair in use; {@link SilenceMonitor} asks it. */
    CompletionWatchdog watchdog() {
        return watchdog;
    }

    /** The link in use while nothing is known to be wrong with it, or null. */
    public @Nullable PathLink healthyLink() {
        return machine == null || dead || machine.state() != RecoveryState.CONNECTED ? null : attachment.link();
    }

    /** The same, and that of a peer without the bond. */
    public @Nullable PathLink liveLink() {
        return plain != null && !dead ? attachment.link() : healthyLink();
    }

    /** A REQ that names this vQP. */
    public void onRequest(final SessionRecord record, final PathLink request, final long nowNs) {
        assert core.holdsLock();
        if (machine == null) {
            request.reject(new RejectRecord(RejectCode.UNKNOWN_SESSION, record.request().session(), 0).encode());
            return;
        }
        exchange.onRequest(record, request, nowNs);
    }

    /** A QP brought up out of band learns which bond its peer belongs to from the first record. */
    void adopt(final long peerInstance, final InetAddress from) {
        assert core.holdsLock();
        if (identity().peer().instance() != peerInstance) {
            provenOf(scope.peers().at(peerInstance, from));
        }
    }

    /** A bond has shown the session over a connection of the bonds' own: it is the peer's. */
    public void provenOf(final Peer proven) {
        assert core.holdsLock();
        if (identity().peer() != proven) {
            identity = identity().withPeer(proven);
            sessions.isOf(identity().session(), proven);
            paths().peer(proven);
            attachment.keysOf(proven);
        }
    }

    /** True while it has a session with that bond. */
    public boolean isOf(final Peer bond) {
        return identity != null && identity.peer() == bond;
    }

    /** The CM says that the connection in use has ended. */
    void onConnectionEnded(final boolean deviceRemoval, final long nowNs) {
        assert core.holdsLock();
        if (dead) {
            finish();
            return;
        }
        final FailureReason reason = deviceRemoval ? FailureReason.DEVICE_REMOVAL : FailureReason.CM_DISCONNECTED;
        machine().onPathFailure(reason, nowNs);
    }

    // ---- what the vQP asks ------------------------------------------------------------------------------------------

    @Override
    public int peerQpNum() {
        return identity == null ? 0 : identity.peerQpNum();
    }

    @Override
    public void beginSendDrain(final boolean isNotified) {
        recoveries.beginSendDrain(qp, isNotified);
    }

    @Override
    public void endSendDrain() {
        recoveries.endSendDrain(qp);
    }

    @Override
    public boolean isMovable(final @Nullable Member to, final long nowNs) {
        return healthyLink() != null && (to == null || paths().goodPath(to, nowNs) != null);
    }

    @Override
    public void follow(final Member to, final long nowNs) {
        assert core.holdsLock();
        final PathId path = healthyLink() == null ? null : paths().goodPath(to, nowNs);
        if (path != null) {
            machine().wantPath(path);
        }
        onPathFailure(FailureReason.PLANNED, nowNs);
    }

    // ---- what the machine decides -----------------------------------------------------------------------------------

    @Override
    public void closeGate() {
        assert core.holdsLock() && machine().state() == RecoveryState.FENCING;
        timer.begin(machine().reason(), attachment.describe());
        attachment.closeGates();
    }

    @Override
    public void fence() {
        recoveries.busy(this);
        exchange.choosePath();
        attachment.fence();
        machine().onFenced(nowNs());
    }

    @Override
    public void drain() {
        draining = true;
        tryDrain();
    }

    /** Looks whether the markers are back; called whenever the bond turns while a drain is on. */
    public void tryDrain() {
        assert core.holdsLock();
        if (draining && attachment.isDrained()) {
            finishDrain();
        }
    }

    boolean isDraining() {
        return draining;
    }

    @Override
    public void finishDrain() {
        if (!draining) {
            return;
        }
        draining = false;
        attachment.finishDrain();
        timer.drained();
        machine().onDrained(new ReceiverCounts(qp.recvQueue().received(), qp.ledger().marked()), nowNs());
    }

    @Override
    public void connect(final PathId path, final RecoveryRequest request) {
        exchange.connect(path, request);
    }

    @Override
    public void abandonAttempt() {
        exchange.abandonAttempt();
    }

    @Override
    public void answer(final long token, final RecoveryReply reply) {
        exchange.answer(token, reply);
    }

    @Override
    public void reject(final long token, final RejectCode code, final int epoch) {
        exchange.reject(token, code, epoch);
    }

    @Override
    public @Nullable BondError applyPeerCounts(final ReceiverCounts counts) {
        assert core.holdsLock();
        final VirtualSendQueue sq = qp.sendQueue();
        final RewindPlan plan = sq.judge(scope.rewindPolicy(), counts, core.config().writeReplay());
        if (plan.error() == BondError.COMMITTED_DATA_LOST || plan.error() == BondError.PROTOCOL_VIOLATION) {
            return plan.error();
        }
        qp.completeOwed(plan.completeUpTo());
        assert sq.retired() <= plan.resumeAt() : "a completed request would be posted again";
        sq.rewindTo(plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo());
        if (plan.error() != null) {
            return plan.error();
        }
        timer.negotiated(plan.negotiated(), plan.replayed());
        return null;
    }

    @Override
    public void replay() {
        assert core.holdsLock() && attachment.link() != null;
        timer.connected();
        outOfBand.connected();
        attachment.openGates();
        machine().onReplayed(nowNs());
    }

    @Override
    public void openGate() {
        assert core.holdsLock() && machine().state() == RecoveryState.CONNECTED;
        recoveries.idle(this);
        timer.healthy(machine().reason(), machine().epoch(), attachment.describe(), exchange.isInitiator());
        exchange.settle(nowNs());
        if (!timer.isHidden() && identity().side() == 0) {
            meet();
        }
    }

    @Override
    public void fail(final BondError error) {
        assert core.holdsLock();
        if (error == BondError.NO_PATH && outOfBand.waitsOn()) {
            return;
        }
        countFailed(error);
        attachment.pollIntoOwed();
        attachment.drop();
        qp.holdBack(false);
        if (error != BondError.COMMITTED_DATA_LOST) {
            qp.completeOwed(qp.sendQueue().doneSeq());
        }
        qp.announceError();
        qp.completeInError(error.status().code(), error.vendorErr());
        sessions.end(identity().session(), RejectCode.FAILED);
        core.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, qp));
        finish();
    }

    /** It fails for good; a recovery that runs ends in that. */
    void countFailed(final BondError error) {
        timer.failed(machine == null ? 0 : machine.epoch(), error);
    }

    @Override
    public void disconnected() {
        assert core.holdsLock();
        attachment.pollIntoOwed();
        attachment.drop();
        qp.completeOwed(qp.sendQueue().doneSeq());
        sessions.end(identity().session(), RejectCode.CLOSED);
        finish();
    }

    /** The vQP is over: what is left is flushed, the application hears of it. */
    void finish() {
        assert core.holdsLock();
        dead = true;
        draining = false;
        recoveries.idle(this);
        exchange.end();
        attachment.drop();
        qp.enterError();
        owner.disconnected();
    }

    // ---- errors and calls of the application ------------------------------------------------------------------------

    /** A request failed for a reason of the application's own: reported as hardware would, the rest is flushed. */
    public void onApplicationError(final long nowNs) {
        assert core.holdsLock();
        dead = true;
        draining = false;
        attachment.stop();
        final SendError error = qp.sendError();
        core.events().applicationError(
                qp.qpNum(), error.sequence() < 0 ? 0 : error.status(), error.sequence() < 0 ? 0 : error.vendorErr());
        qp.announceError();
        if (error.sequence() >= 0) {
            qp.completeOwed(error.sequence());
            qp.completeInError(error.status(), error.vendorErr());
        }
        if (machine != null) {
            sessions.end(identity().session(), RejectCode.FAILED);
            machine().onVqpError(nowNs);
        }
        recoveries.idle(this);
        qp.enterError();
    }

    /** The member says that the physical QP is in error: a protection error that the peer caused. */
    public void onPhysicalQpError(final AsyncEventType type, final long nowNs) {
        assert core.holdsLock();
        if (!isAlive()) {
            return;
        }
        onApplicationError(nowNs);
        core.raise(AsyncEvent.ofQp(type, qp));
    }

    @Override
    public void onApplicationAbort() {
        assert core.holdsLock();
        if (!dead && machine != null) {
            dead = true;
            draining = false;
            attachment.pollIntoOwed();
            qp.completeOwed(qp.sendQueue().doneSeq());
            sessions.end(identity().session(), RejectCode.FAILED);
            machine().onVqpError(nowNs());
            recoveries.idle(this);
        }
        if (!dead && plain != null) {
            dead = true;
            plain.takeWhatIsDone();
        }
        exchange.end();
        attachment.drop();
        qp.enterError();
        owner.queuePairGone();
    }

    @Override
    public void reset() {
        assert core.holdsLock();
        if (identity != null) {
            sessions.leave(identity.session());
        }
        qp.ledger().reset();
        if (plain != null) {
            plain = null;
            qp.sendQueue().plain(false);
        }
        identity = null;
        machine = null;
        paths = null;
        outOfBand.reset();
        dead = false;
    }

    public void onApplicationClose(final long nowNs) {
        assert core.holdsLock();
        if (plain != null && !dead) {
            plain.end();
            return;
        }
        if (machine == null || dead) {
            finish();
            return;
        }
        machine().onApplicationClose(nowNs);
    }

    @Override
    public void close() {
        assert core.holdsLock();
        if (identity != null) {
            if (!dead) {
                exchange.sayFarewell(identity, nowNs());
            }
            sessions.end(identity.session(), RejectCode.CLOSED);
            sessions.leave(identity.session());
        }
        dead = true;
        draining = false;
        recoveries.idle(this);
        exchange.end();
        attachment.drop();
        exchange.rejectAll();
        owner.queuePairGone();
    }

    // ---- for the conductor ------------------------------------------------------------------------------------------

    public int doTimers(final long nowNs) {
        assert core.holdsLock();
        return machine == null || dead ? 0 : exchange.doTimers(machine(), nowNs);
    }

    public long nextDeadlineNs() {
        assert core.holdsLock();
        return machine == null || dead ? Long.MAX_VALUE : machine().nextDeadlineNs();
    }

    /** True from the first connection until the vQP is over; also of one with a peer without the bond. */
    public boolean isAlive() {
        return (machine != null || plain != null) && !dead;
    }

    public @Nullable SessionId session() {
        return identity == null ? null : identity.session();
    }

    /** The path that its next recovery can take without the CM, for people; or empty. */
    public String standbyPath() {
        return exchange.describeStandby();
    }

    @Override
    public String toString() {
        return qp + " " + (machine == null ? "not connected" : machine.state());
    }
}
