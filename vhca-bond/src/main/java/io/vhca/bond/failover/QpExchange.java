package io.vhca.bond.failover;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.CloseNotices;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.DiscardingOwner;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.link.RemotePaths;
import io.vhca.bond.member.Member;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The connections by which a vQP and its peer exchange their counts: the attempt that this side makes, and the REQs of
 * the peer that wait for an answer. What comes of them is told to the recovery machine. Control lock.
 */
final class QpExchange implements PathLink.Owner {
    /** What was heard within one part in so many of the time of a recovery shows that there is a path. */
    private static final int LATELY = 4;

    private final QpRecovery recovery;
    private final BondQueuePair qp;
    private final BondCore core;
    private final Recoveries recoveries;
    private final Recoveries.Scope scope;
    private final ConnectTurns turns;
    private final QpAttachment attachment;
    private final Standby standby;
    private final Map<Long, PathLink> requests = new HashMap<>();
    private @Nullable PathLink attempt;
    /** An attempt whose turn has not come. */
    private @Nullable Runnable waiting;
    /** Where it waits. */
    private ConnectTurns waitsIn;

    private ConnectParameters parameters = ConnectParameters.of(new byte[0]);
    /** How long the attempt under way may take. */
    private long patienceNs;
    private boolean sayingClose;
    private boolean initiator;
    /** The peer has refused the newest key: it may have the one before it only. */
    private boolean hasOlderKey;

    QpExchange(
            final Recoveries recoveries,
            final QpRecovery recovery,
            final BondQueuePair qp,
            final QpAttachment attachment) {
        this.recoveries = recoveries;
        this.recovery = recovery;
        this.qp = qp;
        this.attachment = attachment;
        scope = recoveries.scope();
        core = scope.core();
        turns = scope.turns();
        waitsIn = turns;
        standby = recoveries.standby(recovery, qp);
    }

    /** Takes the first connection over: what it was made with, later ones are made with. */
    void begin(final PathLink made, final ConnectParameters given) {
        assert core.holdsLock();
        parameters = given;
        made.owner(this);
    }

    /** What stands by for the vQP. */
    Standby standby() {
        return standby;
    }

    /** Whether the peer has refused the newest key. */
    boolean hasOlderKey() {
        return hasOlderKey;
    }

    /** What stands by is in the way, and nothing where nothing does; another one is made by and by. */
    void giveUpStandby() {
        standby.giveUp();
    }

    /**
     * A recovery goes over what stands by, where there is something and no path is wanted as planned; what the bonds
     * speak by over the path that failed is not trusted. Where the application closes, no path has failed.
     */
    void choosePath() {
        recovery.paths().refresh();
        final FailureReason reason = recovery.machine().reason();
        if (reason == FailureReason.PLANNED || reason == FailureReason.NONE) {
            return;
        }
        final PathLink failed = recovery.attachment().link();
        if (failed != null) {
            standby.suspect(failed);
        }
        final PathId standing = standby.path();
        if (standing != null) {
            recovery.machine().wantPath(standing);
        }
    }

    /** The vQP is healthy, over whichever path. */
    void settle(final long nowNs) {
        standby.settle(nowNs);
    }

    /** Whether this side may make what stands by: the peer's bond knows of such, and this side connected first. */
    boolean mayStandBy() {
        return recovery.identity().side() == 0 && peer().agreement().has(Agreement.STANDBY);
    }

    /** How often the peer's bond has said what its members are. */
    int peerTellings() {
        return peer().tellings();
    }

    /** The best path beside the one in use, or null; none is asked for that the peer keeps clear of vQPs. */
    @Nullable PathId standbyPath(final PathLink inUse, final long nowNs) {
        final RemotePaths paths = recovery.paths();
        paths.refresh();
        return paths.table().standby(pathOf(inUse), nowNs);
    }

    /** The bond at the other end. */
    Peer peer() {
        return recovery.identity().peer();
    }

    PathId pathOf(final PathLink link) {
        return new PathId(link.member().index(), recovery.paths().indexOf(link.remote()));
    }

    Member member(final PathId path) {
        return scope.members().all().get(path.localMember());
    }

    /** Where the peer's bond listens on a path. */
    InetSocketAddress destination(final PathId path) {
        return new InetSocketAddress(recovery.paths().address(path.remoteAddress()), recovery.peerPort());
    }

    /** The path that a recovery can take without the connection manager, for people; or empty. */
    String describeStandby() {
        return standby.describe();
    }

    /** Begins to connect in the name of the session; null where the member refuses. */
    @Nullable PathLink tryRecover(
            final PathLink.Owner owner, final Member member, final InetSocketAddress to, final byte[] request) {
        try {
            return scope.links().recover(owner, member, to, request, hasOlderKey);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return null;
        }
    }

    /** Answers a REQ with a queue pair that nobody uses yet; false where the member refuses. */
    boolean tryAnswer(final PathLink request, final byte[] reply, final long nowNs) {
        try {
            request.reserveQp(qp::createOn);
            request.accept(reply, nowNs);
            return true;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    /** The vQP is over, or begins anew. */
    void end() {
        abandonAttempt();
        standby.end();
    }

    /** Whether this side made the connection that is in use. */
    boolean isInitiator() {
        return initiator;
    }

    boolean isTrying(final Member member) {
        return attempt != null && attempt.member() == member;
    }

    /** When the attempt under way ends without an answer. */
    long attemptDeadlineNs() {
        return attempt == null ? Long.MAX_VALUE : attempt.deadlineNs();
    }

    private long nowNs() {
        return core.nowNs();
    }

    // ---- this side asks ---------------------------------------------------------------------------------------------

    void connect(final PathId path, final RecoveryRequest request) {
        assert core.holdsLock();
        sayingClose = request.type() == RecordType.CLOSE;
        if (request.type() == RecordType.RECOVER && path.equals(standby.path())) {
            inTurn(recoveries.asking(), () -> askOverStandby(path, request));
        } else {
            inTurn(turns, () -> ask(path, request));
        }
    }

    private void inTurn(final ConnectTurns among, final Runnable asks) {
        waiting = asks;
        waitsIn = among;
        among.add(asks);
    }

    /** Where what stood by does not any more, the connection is made like any other. */
    private void askOverStandby(final PathId path, final RecoveryRequest request) {
        assert core.holdsLock();
        waiting = null;
        if (!path.equals(standby.path())) {
            inTurn(turns, () -> ask(path, request));
            return;
        }
        patienceNs = patienceNs();
        final PathLink made = standby.ask(
                this, new SessionRecord(member(path).id(), request.withAnswerTimeoutNs(patienceNs)).encode());
        made.waitUntil(nowNs() + patienceNs);
        attempt = made;
        recoveries.asking().began(made::isPending);
    }

    private void ask(final PathId path, final RecoveryRequest request) {
        assert core.holdsLock();
        waiting = null;
        final Member member = member(path);
        patienceNs = patienceNs();
        final RecoveryRequest said = request.withAnswerTimeoutNs(patienceNs);
        final byte[] data = said.type() == RecordType.OOB
                ? new OutOfBandRecord(member.id(), core.instance(), said).encode()
                : new SessionRecord(member.id(), said).encode();
        try {
            final PathLink made = scope.links().recover(this, member, destination(path), data, hasOlderKey);
            made.waitUntil(nowNs() + patienceNs);
            attempt = made;
            turns.began(made::isPending);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            attempt = null;
            recovery.machine().onConnectFailed(nowNs());
        }
    }

    private long patienceNs() {
        return core.config().patienceNs(recovery.machine().vainRounds());
    }

    /** While the peer speaks to whichever queue pair there is a path: this one is late, and not without. */
    int doTimers(final RecoveryMachine machine, final long nowNs) {
        final long latelyNs = core.config().recoveryTimeoutNs() / LATELY;
        machine.reckon(waiting != null, peer().isHeardWithin(latelyNs, nowNs), nowNs);
        return machine.doWork(nowNs);
    }

    void abandonAttempt() {
        assert core.holdsLock();
        final PathLink trying = attempt;
        attempt = null;
        if (waiting != null) {
            waitsIn.remove(waiting);
            waiting = null;
        }
        if (trying != null) {
            trying.owner(DiscardingOwner.INSTANCE);
            if (trying != attachment.link()) {
                trying.close();
            }
        }
    }

    /** Tells the peer's bond that the session is over; an attempt that says so already may finish. */
    void sayFarewell(final QpIdentity known, final long nowNs) {
        assert core.holdsLock();
        final PathId path = recovery.machine().path();
        final CloseNotices.Farewell farewell = new CloseNotices.Farewell(
                new RecoveryRequest(
                        RecordType.CLOSE,
                        FailureReason.NONE,
                        known.session(),
                        qp.qpNum(),
                        known.peerQpNum(),
                        recovery.machine().epoch(),
                        0,
                        new ReceiverCounts(attachment.received(), 0)),
                recovery.paths(),
                recovery.peerPort(),
                hasOlderKey);
        final PathLink asked = attempt;
        if (sayingClose && asked != null) {
            attempt = null;
            scope.closeNotices().send(farewell, asked, path);
        } else {
            scope.closeNotices().send(farewell, path, nowNs);
        }
    }

    // ---- the peer asks ----------------------------------------------------------------------------------------------

    /** A REQ that names this vQP: judged by the machine, answered or rejected under a token, possibly later. */
    void onRequest(final SessionRecord record, final PathLink link, final long nowNs) {
        assert core.holdsLock();
        if (!isFromPeer(record.request(), link)) {
            return;
        }
        switch (record.request().type()) {
            case STANDBY, CHANNEL -> standby.onRequest(record, link, nowNs);
            default -> {
                final long token = await(link, record.request());
                final PathId arrivedOn = heard(record.sender(), link);
                recovery.machine().onRequest(record.request(), token, arrivedOn, nowNs);
            }
        }
    }

    /** The same of a vQP that modifyQp alone brought up: only now it is known which bond the peer belongs to. */
    void onRequest(final OutOfBandRecord record, final PathLink link, final long nowNs) {
        assert core.holdsLock();
        if (!isFromPeer(record.request(), link)) {
            return;
        }
        final long token = await(link, record.request());
        recovery.adopt(record.instance(), link.remote());
        final PathId arrivedOn = heard(record.sender(), link);
        recovery.machine().onRequest(record.request(), token, arrivedOn, nowNs);
    }

    /**
     * Judges a REQ that shows the session, before anything of that is touched: it must name the peer's vQP and come
     * from an address that the peer's bond has named. The session alone must do until it has named any, and while the
     * vQP has no path, since a member that was added meanwhile could not be announced; a path that is dead and does not
     * know it yet finds out by a probe.
     */
    private boolean isFromPeer(final RecoveryRequest request, final PathLink link) {
        if (request.senderQpNum() != recovery.peerQpNum()) {
            link.refuseForged(request.session());
            return false;
        }
        if (!peer().mayBeAt(link.remote()) && recovery.healthyLink() != null) {
            link.refuseNotNamed(request.session());
            qp.probe();
            return false;
        }
        return true;
    }

    /** Whatever comes of the request: the peer has a member there, of which it may not have been able to tell else. */
    private PathId heard(final MemberId sender, final PathLink link) {
        link.speaksFrom(sender);
        final Peer peer = peer();
        peer.agreed(link.agreement());
        peer.answers(nowNs());
        if (peer.mayBeAt(link.remote())) {
            peer.heardFrom(link.remoteMember(), link.remote());
        } else {
            recovery.paths().admit(link.remote());
        }
        recovery.paths().refresh();
        return pathOf(link);
    }

    private long await(final PathLink link, final RecoveryRequest request) {
        link.confirmWithin(request.confirmNs(core.config().pathTimeoutNs()));
        final long token = recoveries.nextToken();
        requests.put(token, link);
        link.owner(this);
        return token;
    }

    void answer(final long token, final RecoveryReply reply) {
        assert core.holdsLock();
        final PathLink request = requests.remove(token);
        if (request == null) {
            recovery.machine().onConnectFailed(nowNs());
            return;
        }
        try {
            attachment.equip(request);
            request.accept(
                    new ReplyRecord(
                                    request.member().id(),
                                    core.instance(),
                                    reply,
                                    scope.members().addresses(Member::isAlive),
                                    new byte[0])
                            .encode(),
                    nowNs());
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            recovery.machine().onConnectFailed(nowNs());
        }
    }

    void reject(final long token, final RejectCode code, final int epoch) {
        assert core.holdsLock();
        final PathLink request = requests.remove(token);
        if (request != null) {
            request.reject(new RejectRecord(code, recovery.identity().session(), epoch).encode());
        }
    }

    /** A member went down, and an answer over it would be lost: who has asked there is to ask elsewhere. */
    void onDown(final Member member) {
        assert core.holdsLock();
        for (final long token : List.copyOf(requests.keySet())) {
            final PathLink request = requests.get(token);
            if (request != null && request.member() == member) {
                reject(token, RejectCode.NO_RESOURCES, 0);
            }
        }
    }

    /** Whoever still waits for an answer learns that the session is closed. */
    void rejectAll() {
        assert core.holdsLock();
        for (final PathLink request : requests.values()) {
            request.reject(new RejectRecord(RejectCode.CLOSED, recovery.identity().session(), 0).encode());
        }
        requests.clear();
    }

    // ---- what comes of a connection ---------------------------------------------------------------------------------

    @Override
    public ConnectParameters connectParameters() {
        return qp.settings().connectParameters(parameters);
    }

    @Override
    public void prepare(final CmId physical) {
        qp.settings().prepare(physical);
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        assert core.holdsLock();
        if (!sayingClose) {
            attachment.equip(ready);
        }
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        if (made != attempt) {
            initiator = false;
            attachment.attachSends(made, peer());
            recovery.machine().onEstablished(nowNs);
            return;
        }
        peer().answers(nowNs);
        final UnsafeBuffer buffer = new UnsafeBuffer(reply);
        if (ReplyRecord.validate(buffer, 0, reply.length) != DecodeResult.OK) {
            recovery.machine().onConnectFailed(nowNs);
            return;
        }
        final ReplyRecord record = ReplyRecord.decode(buffer, 0);
        recovery.adopt(record.instance(), made.remote());
        peer().agreed(Agreement.answered(core.wireVersion(), reply));
        peer().metAt(made.remote());
        peer().heard(record.members());
        made.speaksFrom(record.sender());
        attempt = null;
        initiator = true;
        attachment.attachSends(made, peer());
        recovery.machine().onReply(record.reply(), nowNs);
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        assert core.holdsLock();
        final RejectRecord record = RejectRecord.read(data);
        if (rejected != attempt || record == null && standby.carries(rejected)) {
            onLinkFailed(rejected, nowNs); // nothing stands by at the other end any more: no word on the path either
            return;
        }
        if (record != null && record.code().isOfKeys()) {
            // Nobody proved to be the peer: as long as it is so, there is no path to that one.
            hasOlderKey = record.code() == RejectCode.BAD_PROOF && !hasOlderKey;
            if (hasOlderKey) {
                recovery.machine().wantPath(recovery.machine().path());
            }
            core.counters().keyRefused(record.code(), rejected.remote());
        } else if (record != null) {
            peer().answers(nowNs);
        }
        recovery.machine().onReject(record, nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        assert core.holdsLock();
        if (failed == attempt || failed == attachment.link()) {
            if (standby.carries(failed)) {
                // The path may be as good as it was, and what stood by on it not: the next attempt makes its own.
                standby.drop();
                recovery.machine().wantPath(recovery.machine().path());
            }
            recovery.machine().onConnectFailed(nowNs);
        } else {
            requests.values().remove(failed);
            failed.close();
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        assert core.holdsLock();
        if (ended == attachment.link()) {
            recovery.onConnectionEnded(deviceRemoval, nowNs);
        }
    }
}
