package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpState;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.cm.BondCmId;
import io.vhca.bond.core.FailoverTimer;
import io.vhca.bond.core.QpIdentity;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.SendError;
import io.vhca.recovery.BondError;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.PathId;
import io.vhca.recovery.ReceiverCounts;
import io.vhca.recovery.RecoveryActions;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryReply;
import io.vhca.recovery.RecoveryRequest;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import io.vhca.recovery.VqpIdentity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the recovery machine of one vQP decides, and tells it what happens. Control lock.
 *
 * <p>{@link QpAttachment} is the physical QP that it fences and drains, {@link QpExchange} the connections by which it
 * meets the peer's bond.
 */
public final class QpRecovery implements RecoveryActions {
    private final BondQueuePair qp;
    private final BondContext context;
    private final QpAttachment attachment;
    private final QpExchange exchange;
    private final FailoverTimer timer;
    private final CompletionWatchdog watchdog;
    private final OutOfBandConnect outOfBand;
    private @Nullable BondCmId cmId;
    private @Nullable QpIdentity identity;
    private @Nullable RecoveryMachine machine;
    private @Nullable RemotePaths paths;
    private boolean draining;
    private boolean dead;

    public QpRecovery(final BondQueuePair qp) {
        this.qp = qp;
        context = qp.bond();
        attachment = new QpAttachment(qp);
        exchange = new QpExchange(this, qp, attachment);
        timer = new FailoverTimer(
                qp.qpNum(),
                () -> context.conductor().stageClock().nanoTime(),
                context.counters(),
                context.events()::failover);
        watchdog = new CompletionWatchdog(context.config().silenceNs());
        outOfBand = new OutOfBandConnect(this, qp);
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
        return context.conductor().nowNs();
    }

    // ---- birth ------------------------------------------------------------------------------------------------------

    public void belongsTo(final BondCmId id) {
        cmId = id;
    }

    /** The physical queue pair under the vQP. */
    public QpAttachment attachment() {
        return attachment;
    }

    /** The first connection stands. */
    public void begin(final QpIdentity who, final PathLink made, final ConnectParameters given, final long nowNs) {
        exchange.begin(made, given);
        beginAnew(who);
        final PathId path = new PathId(made.member().index(), paths().indexOf(made.remote()));
        paths().table().succeeded(path);
        machine().usePath(path);
        machine().onEstablished(nowNs);
        attachment.attachSends(made, who.peer());
        qp.state(QpState.RTS);
        attachment.openGates();
    }

    /** Opens the control link to the peer's bond, where there is none yet: so that both sides know all paths. */
    public void meet() {
        context.controlPlane().open(identity().peer(), paths().addresses(), peerPort());
    }

    public int peerPort() {
        return context.listener().portOf(identity().peerQpNum());
    }

    /** The vQP is the bond's own. */
    public void hide() {
        timer.hide();
    }

    /** A life begins; what was tried in one before is forgotten: it carried nothing. */
    void beginAnew(final QpIdentity who) {
        if (identity != null) {
            draining = false;
            exchange.rejectAll();
            exchange.abandonAttempt();
            attachment.drop();
            context.sessions().leave(identity.session());
            context.conductor().idle(this);
        }
        final RemotePaths known = paths != null ? paths : new RemotePaths(context, who.peer(), who.place());
        identity = who;
        paths = known;
        machine = new RecoveryMachine(
                new VqpIdentity(context.name(), who.session(), qp.qpNum(), who.peerQpNum(), who.side()),
                context.config().recovery(), known.table(), context.random(), this, context.events());
        context.sessions().begin(who.session());
    }

    /** How it came, or comes, to be connected when modifyQp alone brings it up. */
    public OutOfBandConnect outOfBand() {
        return outOfBand;
    }

    /** True for a vQP that is connected, or that a CM id connects. */
    boolean isTaken() {
        return machine != null || cmId != null;
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
        attachment.renewKeys();
    }

    public void onPathFailure(final FailureReason reason, final long nowNs) {
        if (machine != null && !dead) {
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

    /** A member went down: whatever runs over it fails now, not when the retry budget is spent. */
    public void onMemberDown(final Member member, final FailureReason reason, final long nowNs) {
        if (machine == null || dead) {
            return;
        }
        paths().refresh(member);
        if (exchange.isTrying(member)) {
            machine().onConnectFailed(nowNs);
        } else if (attachment.member() == member) {
            machine().onPathFailure(reason, nowNs);
        }
    }

    /** The member's device is dead and no QP is left on it: nothing of this vQP comes from there any more. */
    public void onMemberBuried(final Member member) {
        if (draining && attachment.member() == member) {
            finishDrain();
        }
    }

    /** The member was removed from the bond. */
    public void onMemberLeft(final Member member) {
        if (paths != null) {
            paths.left(member);
        }
    }

    public void onMemberUp(final Member member, final long nowNs) {
        if (machine != null && !dead) {
            paths().refresh(member);
            machine().onPathUp(member.index(), nowNs);
        }
    }

    /** A REQ that names this vQP. */
    public void onRequest(final SessionRecord record, final PathLink request, final long nowNs) {
        if (machine == null) {
            request.reject(new RejectRecord(RejectCode.UNKNOWN_SESSION, record.request().session(), 0).encode());
            return;
        }
        exchange.onRequest(record, request, nowNs);
    }

    /** A QP brought up out of band learns which bond its peer belongs to from the first record. */
    void adopt(final long peerInstance) {
        final QpIdentity known = identity();
        if (known.peer().instance() != peerInstance) {
            final Peer peer = context.peers().of(peerInstance);
            known.peer().members().forEach(member -> peer.heard(java.util.List.of(member)));
            identity = known.withPeer(peer);
            paths().peer(peer);
        }
    }

    /** The CM says that the connection in use has ended. */
    void onConnectionEnded(final boolean deviceRemoval, final long nowNs) {
        if (dead) {
            finish();
            return;
        }
        machine()
                .onPathFailure(
                        deviceRemoval ? FailureReason.DEVICE_REMOVAL : FailureReason.CM_DISCONNECTED, nowNs);
    }

    // ---- what the machine decides -----------------------------------------------------------------------------------

    @Override
    public void closeGate() {
        timer.begin(machine().reason(), attachment.describe());
        context.conductor().busy(this);
        attachment.closeGates();
    }

    @Override
    public void fence() {
        context.conductor().busy(this);
        paths().refresh();
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
        final VirtualSendQueue sq = qp.sendQueue();
        final RewindPlan plan = sq.judge(context.rewindPolicy(), counts, context.config().writeReplay());
        if (plan.error() == BondError.COMMITTED_DATA_LOST || plan.error() == BondError.PROTOCOL_VIOLATION) {
            return plan.error();
        }
        qp.bondSendCq().completeOwed(qp, plan.completeUpTo());
        sq.rewindTo(plan.resumeAt(), plan.committedUpTo(), plan.doubtfulUpTo());
        if (plan.error() != null) {
            return plan.error();
        }
        timer.negotiated(plan.negotiated(), plan.replayed());
        return null;
    }

    @Override
    public void replay() {
        timer.connected();
        outOfBand.connected();
        attachment.openGates();
        machine().onReplayed(nowNs());
    }

    @Override
    public void openGate() {
        context.conductor().idle(this);
        timer.healthy(machine().reason(), machine().epoch(), attachment.describe(), exchange.isInitiator());
        if (cmId == null && identity().side() == 0) {
            meet();
        }
    }

    @Override
    public void fail(final BondError error) {
        if (error == BondError.NO_PATH && outOfBand.waitsOn()) {
            return;
        }
        timer.failed(machine().epoch(), error);
        attachment.pollIntoOwed();
        attachment.drop();
        qp.holdBack(false);
        if (error != BondError.COMMITTED_DATA_LOST) {
            qp.bondSendCq().completeOwed(qp, qp.sendQueue().doneSeq());
        }
        qp.announceError();
        qp.bondSendCq().completeInError(qp, error.status().code(), error.vendorErr());
        context.sessions().end(identity().session(), RejectCode.FAILED);
        context.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, qp));
        finish();
    }

    @Override
    public void disconnected() {
        attachment.pollIntoOwed();
        attachment.drop();
        qp.bondSendCq().completeOwed(qp, qp.sendQueue().doneSeq());
        context.sessions().end(identity().session(), RejectCode.CLOSED);
        finish();
    }

    /** The vQP is over: what is left is flushed, the application hears of it. */
    private void finish() {
        dead = true;
        draining = false;
        context.conductor().idle(this);
        exchange.abandonAttempt();
        attachment.drop();
        qp.enterError();
        if (cmId != null) {
            cmId.disconnected();
        }
    }

    // ---- the application's own doing --------------------------------------------------------------------------------

    /** A request failed for a reason of the application's own: reported as hardware would, the rest is flushed. */
    public void onApplicationError(final long nowNs) {
        dead = true;
        attachment.pollIntoOwed();
        qp.announceError();
        final SendError error = qp.sendError();
        if (error.sequence() >= 0) {
            qp.bondSendCq().completeOwed(qp, error.sequence());
            qp.bondSendCq().completeInError(qp, error.status(), error.vendorErr());
        }
        context.sessions().end(identity().session(), RejectCode.FAILED);
        machine().onVqpError(nowNs);
        context.conductor().idle(this);
        qp.enterError();
    }

    /** The member says that the physical QP is in error: a protection error that the peer caused. */
    public void onPhysicalQpError(final AsyncEventType type, final long nowNs) {
        if (machine == null || dead) {
            return;
        }
        attachment.pollIntoOwed();
        onApplicationError(nowNs);
        context.raise(AsyncEvent.ofQp(type, qp));
    }

    /** modifyQp to ERR or RESET. */
    public void onApplicationAbort() {
        if (!dead && machine != null) {
            dead = true;
            draining = false;
            attachment.pollIntoOwed();
            qp.bondSendCq().completeOwed(qp, qp.sendQueue().doneSeq());
            context.sessions().end(identity().session(), RejectCode.FAILED);
            machine().onVqpError(nowNs());
            context.conductor().idle(this);
        }
        exchange.abandonAttempt();
        attachment.drop();
        qp.enterError();
    }

    /** Ready to be brought up again, after a move to RESET. */
    public void reset() {
        if (identity != null) {
            context.sessions().leave(identity.session());
        }
        qp.ledger().reset();
        identity = null;
        machine = null;
        paths = null;
        outOfBand.reset();
        dead = false;
    }

    public void onApplicationClose(final long nowNs) {
        if (machine == null || dead) {
            finish();
            return;
        }
        context.conductor().busy(this);
        machine().onApplicationClose(nowNs);
    }

    /** The QP is being destroyed; the peer's bond, when it asks, learns that the session is closed. */
    public void close() {
        if (identity != null) {
            if (!dead) {
                exchange.sayFarewell(identity);
            }
            context.sessions().end(identity.session(), RejectCode.CLOSED);
            context.sessions().leave(identity.session());
        }
        dead = true;
        draining = false;
        context.conductor().idle(this);
        exchange.abandonAttempt();
        attachment.drop();
        exchange.rejectAll();
    }

    // ---- for the conductor ------------------------------------------------------------------------------------------

    public int doTimers(final long nowNs) {
        return machine == null || dead ? 0 : machine().doWork(nowNs);
    }

    public long nextDeadlineNs() {
        return machine == null || dead ? Long.MAX_VALUE : machine().nextDeadlineNs();
    }

    /** True from the first connection until the vQP is over. */
    public boolean isAlive() {
        return machine != null && !dead;
    }

    public boolean isClosing() {
        return machine != null && machine.state() == RecoveryState.CLOSING;
    }

    public @Nullable SessionId session() {
        return identity == null ? null : identity.session();
    }

    @Override
    public String toString() {
        return qp + " " + (machine == null ? "not connected" : machine.state());
    }
}
