package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.QpAttachment;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import org.jspecify.annotations.Nullable;

/**
 * The passive side of a first connect. The peer may repeat its REQ over another path before it is established; the last
 * one counts, and the application is asked once. Control lock.
 */
public final class FirstAccept implements BondCmId.PassiveAnswer, PathLink.Owner {
    private final BondCmId id;
    private final BondCore core;
    private final Members members;
    private final Peers peers;
    private final PendingAccepts accepts;
    private final RecordType type;
    private final SessionId session;
    private final SessionId name;
    private final long peerInstance;
    private final int peerQpNum;
    /** What the application was told that the peer asked for. */
    private final ConnectParameters asked;
    private PathLink link;
    private @Nullable Peer peer;
    private @Nullable ConnectParameters parameters;
    private CmEventType outcome = CmEventType.CONNECT_ERROR;

    FirstAccept(
            final BondCmId id, final PathLink link, final ConnectHeader header, final ConnectParameters asked) {
        this.id = id;
        this.link = link;
        this.asked = asked;
        core = id.scope().core();
        members = id.scope().members();
        peers = id.scope().peers();
        accepts = id.scope().accepts();
        name = header.session();
        session = link.sessionOf(name);
        peerInstance = header.session().hi();
        peerQpNum = header.vQpNum();
        type = header.type();
        link.owner(this);
        accepts.add(session, name, id);
    }

    /**
     * The same session asks again over another path: the earlier one brought no answer. Unless a message came over it:
     * then the peer is established there, this is an earlier REQ that was late, and to follow it would throw away what
     * was received and acknowledged.
     */
    void repeated(final PathLink again, final long nowNs) {
        assert core.holdsLock();
        final BondQueuePair qp = id.bondQp();
        if (parameters != null && qp != null && QpRecovery.of(qp).attachment().hasReceived()) {
            again.reject(new RejectRecord(RejectCode.STALE_EPOCH, session, 0).encode());
            return;
        }
        QpAttachment.discard(id.bondQp(), link);
        link = again;
        again.owner(this);
        if (parameters != null) {
            accept(parameters, nowNs);
        }
    }

    @Override
    public void accept(final ConnectParameters given, final long nowNs) {
        assert core.holdsLock();
        if (accepts.find(session) != id) {
            return; // it ended before its turn
        }
        final BondQueuePair qp = id.bondQp();
        if (qp != null) {
            parameters = given;
            answer(qp, given, nowNs);
        } else if (accepts.remove(session, id)) {
            link.reject(new RejectRecord(RejectCode.APPLICATION, session, 0).encode());
            id.failed(CmEventType.CONNECT_ERROR, -Errno.EINVAL);
        }
    }

    private void answer(final BondQueuePair qp, final ConnectParameters given, final long nowNs) {
        accepts.answered(session, qp.qpNum());
        try {
            QpRecovery.of(qp).attachment().equip(link);
            final byte[] reply = new ReplyRecord(
                            link.member().id(),
                            core.instance(),
                            new RecoveryReply(session, qp.qpNum(), 0, new ReceiverCounts(0, 0)),
                            members.addresses(Member::isAlive),
                            given.privateData())
                    .encode();
            link.accept(reply, nowNs);
            heard(link);
            // The CM repeats the REP by itself, and the peer may be established long before a RTU arrives here.
            link.waitUntil(nowNs + core.config().recoveryTimeoutNs());
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            QpRecovery.of(qp).attachment().unequip(link);
            link.fail(nowNs);
        }
    }

    /**
     * The peer asks to recover the session, or for what is to stand by: it had our answer. Its word of that was lost,
     * or is late and says nothing new then. The link, broken as it may be, keeps its QP, so that what was received over
     * it is counted.
     *
     * @return false when no answer was sent, so that the peer cannot be established
     */
    boolean recovered(final SessionRecord record, final PathLink request, final long nowNs) {
        assert core.holdsLock();
        final BondQueuePair qp = id.bondQp();
        if (parameters == null || qp == null || QpRecovery.of(qp).attachment().physical() == null
                || record.request().senderQpNum() != peerQpNum
                || record.request().targetQpNum() != qp.qpNum()) {
            return false;
        }
        link.established(new byte[0], ConnectParameters.of(new byte[0]), nowNs);
        QpRecovery.of(qp).onRequest(record, request, nowNs);
        return true;
    }

    /** The peer's bond is there: as soon as it has the answer, it may open a connection of the bonds' own. */
    private Peer heard(final PathLink from) {
        Peer known = peer;
        if (known == null) {
            known = peers.at(peerInstance, from.remote());
            known.agreed(from.agreement());
            core.counters().met(type, known.agreement(), core.wireVersion());
            peer = known;
        }
        known.heardFrom(from.remoteMember(), from.remote());
        return known;
    }

    @Override
    public void reject(final RejectCode code, final byte[] data) {
        assert core.holdsLock();
        if (parameters == null || type != RecordType.FIRST) {
            accepts.remove(session, id);
        } else {
            accepts.end(session, id); // the answer may have gone out
        }
        if (code == RejectCode.NO_RESOURCES) {
            accepts.giveBack(name);
        }
        QpAttachment.takeBack(id.bondQp(), link);
        link.reject(new RejectRecord(code, session, 0, data).encode());
    }

    @Override
    public ConnectParameters connectParameters() {
        return parameters == null ? ConnectParameters.of(new byte[0]) : parameters;
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        throw new IllegalStateException("a passive link resolves no route");
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] none, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        accepts.established(session);
        final Peer known = heard(made);
        QpRecovery.of(id.requireQp("accept"))
                .begin(
                        new QpIdentity(session, 1, PathPreference.PEERS, peerQpNum, known),
                        made,
                        connectParameters(),
                        nowNs);
        // Not every device says it again, and some of this is known without a word of the peer's CM.
        id.established(new byte[0], asked);
    }

    /** The peer cancelled, or it gave this path up and asks again over another at once. */
    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        assert core.holdsLock();
        if (rejected == link) {
            outcome = CmEventType.REJECTED;
            accepts.giveUpAt(this, nowNs + core.config().recoveryTimeoutNs());
        }
    }

    /** The answer was not confirmed. The peer may ask again over another path; until then the application waits. */
    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        assert core.holdsLock();
        if (failed != link) {
            return;
        }
        final BondQueuePair qp = id.bondQp();
        if (parameters != null && qp != null && QpRecovery.of(qp).attachment().hasReceived()) {
            // A message arrived over the link: the peer is established, though its word of that was lost.
            onLinkEstablished(link, new byte[0], ConnectParameters.of(new byte[0]), nowNs);
            QpRecovery.of(qp).onPathFailure(FailureReason.CONNECT_FAILED, nowNs);
        } else {
            outcome = CmEventType.CONNECT_ERROR;
            accepts.giveUpAt(this, nowNs + core.config().recoveryTimeoutNs());
        }
    }

    /** Nobody asked again for too long. */
    public void giveUp() {
        assert core.holdsLock();
        if (link.state() == PathLink.State.FAILED && accepts.remove(session, id)) {
            QpAttachment.discard(id.bondQp(), link);
            if (outcome == CmEventType.REJECTED) {
                id.rejected(PathLink.REJECTED_BY_CONSUMER, new byte[0]);
            } else {
                id.failed(outcome, -Errno.ETIMEDOUT);
            }
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        onLinkFailed(ended, nowNs);
    }
}
