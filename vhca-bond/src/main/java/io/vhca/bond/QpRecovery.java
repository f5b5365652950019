package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.recovery.BondError;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.FailureClassifier;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecordType;
import io.vhca.recovery.RecoveryActions;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.ReplyFacts;
import io.vhca.recovery.ReplyRecord;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import io.vhca.recovery.Verdict;
import io.vhca.recovery.VqpIdentity;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the recovery machine of one vQP decides, and tells it what happens. Control lock.
 *
 * <p>At any time at most one physical QP is attached to the vQP ({@code link}); the next one is created only after it
 * was fenced, drained and destroyed.
 */
final class QpRecovery implements RecoveryActions, PathLink.Owner {
    private static final int QP_NUM_BITS = 24;
    private static final int QP_NUM_MASK = (1 << QP_NUM_BITS) - 1;

    private final BondQueuePair qp;
    private final BondContext context;
    private final Map<Long, PathLink> requests = new HashMap<>();
    private final FailoverTimer timer;
    private @Nullable BondCmId cmId;
    private @Nullable Identity identity;
    private @Nullable RecoveryMachine machine;
    private @Nullable RemotePaths paths;
    private @Nullable PathLink link;
    private @Nullable PathLink attempt;
    private ConnectParameters parameters = ConnectParameters.of(new byte[0]);
    private boolean sayingClose;
    private boolean draining;
    private boolean dead;
    private boolean initiator;

    /**
     * Who is connected to whom.
     *
     * @param side      0 for the initiator of the first connect, 1 for the responder
     * @param peerQpNum the peer's vQPN
     */
    record Identity(SessionId session, int side, int peerQpNum, Peer peer) {}

    QpRecovery(final BondQueuePair qp) {
        this.qp = qp;
        context = qp.bond();
        timer = new FailoverTimer(context, qp.qpNum());
    }

    /** A vQPN with the index of the member that speaks in the eight bits above it. */
    static int withMember(final int qpNum, final int member) {
        return member << QP_NUM_BITS | qpNum;
    }

    static int memberOf(final int tagged) {
        return tagged >>> QP_NUM_BITS;
    }

    static int qpNumOf(final int tagged) {
        return tagged & QP_NUM_MASK;
    }

    private RecoveryMachine machine() {
        return java.util.Objects.requireNonNull(machine);
    }

    private Identity identity() {
        return java.util.Objects.requireNonNull(identity);
    }

    private RemotePaths paths() {
        return java.util.Objects.requireNonNull(paths);
    }

    private long nowNs() {
        return context.conductor().nowNs();
    }

    // ---- birth ------------------------------------------------------------------------------------------------------

    void belongsTo(final BondCmId id) {
        cmId = id;
    }

    /** Creates the physical QP of a link and gives it every receive that waits. */
    void equip(final PathLink next) {
        link = next;
        final QueuePair physical = next.createQp(qp);
        final int incarnation = qp.nextIncarnation();
        qp.recvQueue()
                .attachAndOpen(
                        physical,
                        next.member().index(),
                        PhysicalWrId.prefix(PhysicalWrId.KIND_RECV, incarnation, qp.index()));
    }

    /** True when a message arrived on the physical QP in use, be it polled by the application or not. */
    boolean hasReceived() {
        pollIntoOwed();
        return link != null && qp.recvQueue().retired() > 0;
    }

    /** Forgets the link's QP: it carried nothing. */
    void unequip() {
        qp.recvQueue().detach();
        link = null;
    }

    private void attachSends(final PathLink made) {
        qp.sendQueue()
                .attach(
                        made.qp(),
                        made.member().index(),
                        made.remoteMember(),
                        PhysicalWrId.prefix(PhysicalWrId.KIND_SEND, qp.incarnation(), qp.index()),
                        identity().peer().keys());
    }

    /** The first connection stands. */
    void begin(final Identity who, final PathLink made, final ConnectParameters given, final long nowNs) {
        parameters = given;
        made.owner(this);
        prepare(who);
        machine().usePath(new PathId(made.member().index(), paths().indexOf(made.remote())));
        machine().onEstablished(nowNs);
        attachSends(made);
        qp.state(QpState.RTS);
        qp.sendQueue().openGate();
    }

    /** Opens the control link to the peer's bond, where there is none yet: so that both sides know all paths. */
    void meet() {
        context.controlPlane().open(identity().peer(), paths().addresses(), peerPort());
    }

    private int peerPort() {
        return context.listener().portOf(identity().peerQpNum());
    }

    /** The vQP is the bond's own. */
    void hide() {
        timer.hide();
    }

    private void prepare(final Identity who) {
        identity = who;
        paths = new RemotePaths(context, who.peer());
        machine = new RecoveryMachine(
                new VqpIdentity(context.name(), who.session(), qp.qpNum(), who.peerQpNum(), who.side()),
                context.config().recovery(),
                paths.table(),
                context.random(),
                this,
                context.journal());
        context.liveSessions().add(who.session());
        context.tombstones().forget(who.session());
    }

    /** The application brought the QP to RTS by modifyQp alone: the bond connects it to the peer's. */
    void onReadyToSend(final QpAttributes attributes) {
        if (machine != null || attributes.ah() == null) {
            return;
        }
        final OutOfBand outOfBand = OutOfBand.of(context, qp.qpNum(), attributes);
        prepare(new Identity(outOfBand.session(), outOfBand.side(), attributes.destQpNum(), new Peer(0)));
        outOfBand.addresses().forEach(address -> paths().indexOf(address));
        context.conductor().later(machine()::start);
    }

    // ---- what happens -----------------------------------------------------------------------------------------------

    /** How a completion status is to be taken: NONE for the application's own, else the reason of the path failure. */
    FailureReason classify(final int status, final int vendorErr) {
        final WcStatus name = WcStatus.fromCode(status);
        final PathLink current = link;
        final boolean active = current != null && current.member().isUp();
        return FailureClassifier.classify(name, vendorErr, active) == Verdict.FAIL_OVER
                ? FailureClassifier.reason(name)
                : FailureReason.NONE;
    }

    /** Handles what the data path noted. */
    void onNotes(final int notes, final long nowNs) {
        if (machine == null || dead) {
            return;
        }
        if ((notes & BondQueuePair.NOTE_APPLICATION_ERROR) != 0) {
            onApplicationError(nowNs);
            return;
        }
        if ((notes & BondQueuePair.NOTE_PATH_FAILURE) != 0) {
            onPathFailure(qp.failure(), nowNs);
        }
        if ((notes & BondQueuePair.NOTE_KEY_MISSING) != 0) {
            context.controlPlane().resolve(qp, identity().peer(), paths().addresses(), peerPort());
        }
        if (draining) {
            tryDrain();
        }
    }

    void onPathFailure(final FailureReason reason, final long nowNs) {
        if (machine != null && !dead) {
            machine().onPathFailure(reason, nowNs);
        }
    }

    /** A member went down: whatever runs over it fails now, not when the retry budget is spent. */
    void onMemberDown(final Member member, final FailureReason reason, final long nowNs) {
        if (machine == null || dead) {
            return;
        }
        paths().memberUp(member, false);
        final PathLink trying = attempt;
        if (trying != null && trying.member() == member) {
            machine().onConnectFailed(nowNs);
        } else if (link != null && link.member() == member) {
            machine().onPathFailure(reason, nowNs);
        }
    }

    void onMemberUp(final Member member, final long nowNs) {
        if (machine != null && !dead) {
            paths().memberUp(member, true);
            machine().onPathUp(member.index(), nowNs);
        }
    }

    /** A REQ that names this vQP. */
    void onRequest(final SessionRecord record, final PathLink request, final long nowNs) {
        if (machine == null) {
            request.reject(new RejectRecord(RejectCode.UNKNOWN_SESSION, record.session(), 0).encode());
            return;
        }
        final long token = context.conductor().nextToken();
        requests.put(token, request);
        request.owner(this);
        request.remoteMember(memberOf(record.senderQpNum()));
        final int remote = paths().indexOf(request.remote());
        if (record.type() == RecordType.OOB) {
            adopt(record.ledger());
        }
        machine()
                .onRequest(
                        new SessionRecord(
                                record.type(),
                                record.flags(),
                                record.reason(),
                                record.session(),
                                qpNumOf(record.senderQpNum()),
                                record.targetQpNum(),
                                record.epoch(),
                                record.received(),
                                record.type() == RecordType.OOB ? 0 : record.ledger()),
                        token,
                        new PathId(request.member().index(), remote),
                        nowNs);
    }

    /** A QP brought up out of band learns which bond its peer belongs to from the first record. */
    private void adopt(final long peerInstance) {
        final Identity known = identity();
        if (known.peer().instance() != peerInstance) {
            final Peer peer = context.peer(peerInstance);
            known.peer().members().forEach(member -> peer.heard(java.util.List.of(member)));
            identity = new Identity(known.session(), known.side(), known.peerQpNum(), peer);
            paths().peer(peer);
        }
    }

    @Override
    public ConnectParameters connectParameters() {
        return parameters;
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        if (!sayingClose) {
            equip(ready);
        }
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters from, final long nowNs) {
        if (made != attempt) {
            initiator = false;
            attachSends(made);
            machine().onEstablished(nowNs);
            return;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(reply);
        if (ReplyRecord.validate(buffer, 0, reply.length) != DecodeResult.OK) {
            machine().onConnectFailed(nowNs);
            return;
        }
        final ReplyRecord record = ReplyRecord.decode(buffer, 0);
        adopt(record.instance());
        identity().peer().heard(record.members());
        made.remoteMember(memberOf(record.vQpNum()));
        attempt = null;
        initiator = true;
        attachSends(made);
        machine()
                .onReply(
                        new ReplyRecord(
                                record.session(),
                                qpNumOf(record.vQpNum()),
                                record.instance(),
                                record.epoch(),
                                record.received(),
                                record.ledger(),
                                record.flags(),
                                record.members(),
                                record.applicationData()),
                        nowNs);
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        if (rejected != attempt) {
            onLinkFailed(rejected, nowNs);
            return;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final boolean valid = RejectRecord.validate(buffer, 0, data.length) == DecodeResult.OK;
        machine().onReject(valid ? RejectRecord.decode(buffer, 0) : null, nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        if (failed == attempt || failed == link) {
            machine().onConnectFailed(nowNs);
        } else {
            requests.values().remove(failed);
            failed.close();
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        if (ended != link) {
            return;
        }
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
        timer.begin(machine().reason(), describe(link), nowNs());
        context.conductor().busy(this);
        qp.sendQueue().closeGate();
        qp.recvQueue().closeGate();
        qp.holdBack(true);
    }

    @Override
    public void fence() {
        context.conductor().busy(this);
        qp.sendQueue().closeGate();
        qp.recvQueue().closeGate();
        qp.holdBack(true);
        paths().refresh();
        final PathLink old = link;
        if (old != null && !context.conductor().fence(old, qp)) {
            // It can only be destroyed, and destroying swallows completions: take them first.
            pollIntoOwed();
            old.close();
            link = null;
        }
        machine().onFenced(nowNs());
    }

    @Override
    public void drain() {
        draining = true;
        tryDrain();
    }

    /** Looks whether the markers are back; called whenever the bond turns while a drain is on. */
    void tryDrain() {
        if (draining) {
            pollIntoOwed();
            if (link == null || qp.markersBack()) {
                finishDrain();
            }
        }
    }

    boolean isDraining() {
        return draining;
    }

    private void pollIntoOwed() {
        qp.bondSendCq().pollIntoOwed();
        if (qp.bondRecvCq() != qp.bondSendCq()) {
            qp.bondRecvCq().pollIntoOwed();
        }
    }

    @Override
    public void finishDrain() {
        if (!draining) {
            return;
        }
        draining = false;
        pollIntoOwed();
        dropLink();
        qp.nextIncarnation();
        timer.drained(nowNs());
        machine().onDrained(qp.recvQueue().retired(), 0, nowNs());
    }

    private void dropLink() {
        final PathLink old = link;
        link = null;
        qp.sendQueue().closeGate();
        qp.recvQueue().detach();
        if (old != null) {
            old.close();
        }
    }

    @Override
    public void connect(final PathId path, final SessionRecord record) {
        sayingClose = record.type() == RecordType.CLOSE;
        final Member member = context.members().get(path.localMember());
        final SessionRecord tagged = new SessionRecord(
                record.type(),
                record.flags(),
                record.reason(),
                record.session(),
                withMember(record.senderQpNum(), member.index()),
                record.targetQpNum(),
                record.epoch(),
                record.received(),
                record.type() == RecordType.OOB ? context.instance() : record.ledger());
        try {
            attempt = new PathLink(
                    context,
                    this,
                    member,
                    new InetSocketAddress(
                            paths().address(path.remoteAddress()),
                            peerPort()),
                    tagged.encode(),
                    nowNs())
                    .start();
        } catch (final VerbsException e) {
            context.counters().ignored(e);
            attempt = null;
            machine().onConnectFailed(nowNs());
        }
    }

    @Override
    public void abandonAttempt() {
        final PathLink trying = attempt;
        attempt = null;
        if (trying != null) {
            trying.owner(MutedOwner.INSTANCE);
            if (trying != link) {
                trying.close();
            }
        }
    }

    @Override
    public void answer(final long token, final ReplyFacts facts) {
        final PathLink request = requests.remove(token);
        if (request == null) {
            machine().onConnectFailed(nowNs());
            return;
        }
        try {
            equip(request);
            request.accept(
                    new ReplyRecord(
                                    facts.session(),
                                    withMember(facts.vQpNum(), request.member().index()),
                                    context.instance(),
                                    facts.epoch(),
                                    facts.received(),
                                    facts.ledger(),
                                    0,
                                    context.conductor().memberAddresses(),
                                    new byte[0])
                            .encode(),
                    nowNs());
        } catch (final VerbsException e) {
            context.counters().ignored(e);
            machine().onConnectFailed(nowNs());
        }
    }

    @Override
    public void reject(final long token, final RejectCode code, final int epoch) {
        final PathLink request = requests.remove(token);
        if (request != null) {
            request.reject(new RejectRecord(code, identity().session(), epoch).encode());
        }
    }

    @Override
    public @Nullable BondError applyPeerCounts(final long received, final long ledger) {
        final VirtualSendQueue sq = qp.sendQueue();
        // The application may go on posting: what it adds lies behind everything that is judged here.
        sq.producerInside();
        final RewindPlan plan = context.rewindPolicy().plan(sq, received);
        if (plan.error() != null) {
            return plan.error();
        }
        qp.bondSendCq().completeOwed(qp, plan.completeUpTo());
        sq.rewindTo(plan.resumeAt(), plan.committedUpTo());
        timer.negotiated(plan.negotiated(), plan.replayed());
        return null;
    }

    @Override
    public void replay() {
        timer.connected(nowNs());
        qp.holdBack(false);
        qp.sendQueue().openGate();
        machine().onReplayed(nowNs());
    }

    @Override
    public void openGate() {
        context.conductor().idle(this);
        timer.healthy(machine(), describe(link), initiator, nowNs());
        if (cmId == null && identity().side() == 0) {
            meet();
        }
    }

    @Override
    public void fail(final BondError error) {
        timer.failed(machine(), error, nowNs());
        pollIntoOwed();
        dropLink();
        qp.holdBack(false);
        if (error != BondError.COMMITTED_DATA_LOST) {
            qp.bondSendCq().completeOwed(qp, qp.sendQueue().hwCompletedSeq());
        }
        qp.announceError();
        qp.bondSendCq().completeInError(qp, error.status().code(), error.vendorErr());
        context.tombstones().bury(identity().session(), RejectCode.FAILED);
        context.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, qp));
        finish();
    }

    @Override
    public void disconnected() {
        pollIntoOwed();
        dropLink();
        qp.bondSendCq().completeOwed(qp, qp.sendQueue().hwCompletedSeq());
        context.tombstones().bury(identity().session(), RejectCode.CLOSED);
        finish();
    }

    /** The vQP is over: what is left is flushed, the application hears of it. */
    private void finish() {
        dead = true;
        draining = false;
        context.conductor().idle(this);
        abandonAttempt();
        dropLink();
        qp.enterError();
        if (cmId != null) {
            cmId.disconnected();
        }
    }

    // ---- the application's own doing --------------------------------------------------------------------------------

    /** A request failed for a reason of the application's own: reported as hardware would, the rest is flushed. */
    private void onApplicationError(final long nowNs) {
        dead = true;
        pollIntoOwed();
        qp.announceError();
        if (qp.errorSequence() >= 0) {
            qp.bondSendCq().completeOwed(qp, qp.errorSequence());
            qp.bondSendCq().completeInError(qp, qp.errorStatus(), qp.errorVendor());
        }
        context.tombstones().bury(identity().session(), RejectCode.FAILED);
        machine().onVqpError(nowNs);
        context.conductor().idle(this);
        qp.enterError();
    }

    /** The member says that the physical QP is in error: a protection error that the peer caused. */
    void onPhysicalQpError(final AsyncEventType type, final long nowNs) {
        if (machine == null || dead) {
            return;
        }
        pollIntoOwed();
        onApplicationError(nowNs);
        context.raise(AsyncEvent.ofQp(type, qp));
    }

    /** modifyQp to ERR or RESET. */
    void onApplicationAbort() {
        if (!dead && machine != null) {
            dead = true;
            draining = false;
            pollIntoOwed();
            qp.bondSendCq().completeOwed(qp, qp.sendQueue().hwCompletedSeq());
            context.tombstones().bury(identity().session(), RejectCode.FAILED);
            machine().onVqpError(nowNs());
            context.conductor().idle(this);
        }
        abandonAttempt();
        dropLink();
        qp.enterError();
    }

    /** Ready to be brought up again, after a move to RESET. */
    void reset() {
        if (identity != null) {
            context.liveSessions().remove(identity.session());
        }
        identity = null;
        machine = null;
        dead = false;
    }

    void onApplicationClose(final long nowNs) {
        if (machine == null || dead) {
            finish();
            return;
        }
        context.conductor().busy(this);
        machine().onApplicationClose(nowNs);
    }

    /** The QP is being destroyed; the peer's bond, when it asks, learns that the session is closed. */
    void close() {
        if (identity != null) {
            sayFarewell(identity);
            context.tombstones().bury(identity.session(), RejectCode.CLOSED);
            context.liveSessions().remove(identity.session());
        }
        dead = true;
        draining = false;
        context.conductor().idle(this);
        abandonAttempt();
        dropLink();
        for (final PathLink request : requests.values()) {
            request.reject(new RejectRecord(RejectCode.CLOSED, identity().session(), 0).encode());
        }
        requests.clear();
    }

    private void sayFarewell(final Identity known) {
        final PathLink current = link;
        if (dead || current == null || current.state() != PathLink.State.ESTABLISHED) {
            return;
        }
        Farewell.say(
                context,
                current.member(),
                new InetSocketAddress(current.remote(), peerPort()),
                new SessionRecord(
                        RecordType.CLOSE,
                        0,
                        0,
                        known.session(),
                        withMember(qp.qpNum(), current.member().index()),
                        known.peerQpNum(),
                        machine().epoch(),
                        qp.recvQueue().retired(),
                        0),
                nowNs());
    }

    // ---- for the conductor ------------------------------------------------------------------------------------------

    int doTimers(final long nowNs) {
        return machine == null || dead ? 0 : machine().doWork(nowNs);
    }

    long nextDeadlineNs() {
        return machine == null || dead ? Long.MAX_VALUE : machine().nextDeadlineNs();
    }

    boolean isClosing() {
        return machine != null && machine.state() == RecoveryState.CLOSING;
    }

    @Nullable SessionId session() {
        return identity == null ? null : identity.session();
    }

    /** The physical QP in use, or null. */
    @Nullable QueuePair physical() {
        return link == null ? null : link.qp();
    }

    @Nullable Member member() {
        return link == null ? null : link.member();
    }

    private static String describe(final @Nullable PathLink path) {
        return path == null ? "" : path.member().name() + " -> " + path.remote().getHostAddress();
    }

    @Override
    public String toString() {
        return qp + " " + (machine == null ? "not connected" : machine.state());
    }
}
