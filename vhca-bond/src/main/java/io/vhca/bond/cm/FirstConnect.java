package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.QpAttachment;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.TrailingHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The active side of a first connect: tries one path after another with one session id until a peer answers, in rounds
 * with a longer timeout each, and waits for a member while none is up, until {@code recovery_timeout} has passed.
 * Control lock.
 */
final class FirstConnect implements PathLink.Owner {
    /** The REJ reason of a peer that does not listen: invalid service id (IBA 12.6.7.2). */
    private static final int INVALID_SERVICE_ID = 8;

    /** Of a path of a round: an old nonce and an old key, each with the nonce that is told then, and one to spare. */
    private static final int MOST_REPEATS = 5;

    private final BondCmId id;
    private final BondCore core;
    private final Links links;
    private final Peers peers;
    private final List<InetAddress> addresses;
    private final RecordType type;
    private final int port;
    private final ConnectParameters parameters;
    private final SessionId name;
    private final int place;
    private final PathCandidates candidates;
    private @Nullable PathLink link;
    private PathCandidates.@Nullable Candidate tried;
    /** The peer has refused the newest key: it may have the one before it only. */
    private boolean hasOlderKey;
    private int repeats;
    /** The peer may have no bond: its application finds the data where it looks for it. */
    private boolean isBehind;
    private boolean done;

    FirstConnect(
            final BondCmId id,
            final RecordType type,
            final List<InetAddress> addresses,
            final int port,
            final @Nullable PathLink like,
            final ConnectParameters parameters) {
        this.id = id;
        this.type = type;
        this.addresses = addresses;
        this.port = port;
        this.parameters = parameters;
        final CmScope scope = id.scope();
        core = scope.core();
        links = scope.links();
        peers = scope.peers();
        name = core.proofs().newName();
        place = type == RecordType.FIRST
                ? scope.placement().place(addresses.getFirst(), port, id.requireQp("connect").qpNum())
                : PathPreference.PEERS;
        candidates = new PathCandidates(scope, addresses, id.pastAddresses(), place, like);
        isBehind = takesPlain();
    }

    void start(final long nowNs) {
        assert core.holdsLock();
        if (!done) {
            candidates.begin(nowNs);
            next(nowNs);
        }
    }

    private void next(final long nowNs) {
        assert core.holdsLock();
        if (done) {
            return;
        }
        final PathCandidates.Candidate candidate = candidates.next(nowNs);
        if (candidate == null) {
            if (!candidates.await(this::next, nowNs)) {
                giveUp(candidates.refusal());
            }
            return;
        }
        repeats = 0;
        ask(candidate, nowNs);
    }

    private void giveUp(final int refusal) {
        done = true;
        if (refusal == 0) {
            id.failed(CmEventType.UNREACHABLE, -Errno.ETIMEDOUT);
        } else {
            id.rejected(refusal, new byte[0]);
        }
    }

    private void ask(final PathCandidates.Candidate candidate, final long nowNs) {
        tried = candidate;
        final int qpNum = id.requireQp("connect").qpNum();
        final InetSocketAddress to = new InetSocketAddress(candidate.address(), port);
        final byte[] request =
                new ConnectHeader(type, name, candidate.member().id(), qpNum).encode(parameters.privateData());
        try {
            final PathLink asking = isBehind
                    ? links.openBehind(this, candidate.member(), to, request, hasOlderKey)
                    : links.open(this, candidate.member(), to, request, hasOlderKey);
            link = asking;
            asking.waitUntil(candidates.untilNs(nowNs));
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            next(nowNs);
        }
    }

    /** A connection to the same peer stands over that path: it is tried now, whatever waits for an answer elsewhere. */
    void prefer(final PathLink carrying, final long nowNs) {
        assert core.holdsLock();
        final PathLink trying = link;
        if (!done && trying != null && trying.isPending()
                && (trying.member() != carrying.member() || !trying.remote().equals(carrying.remote()))) {
            QpAttachment.discard(id.bondQp(), trying);
            ask(new PathCandidates.Candidate(carrying.member(), carrying.remote()), nowNs);
        }
    }

    void cancel() {
        assert core.holdsLock();
        done = true;
        if (link != null && link.isPending()) {
            QpAttachment.discard(id.bondQp(), link);
        }
    }

    @Override
    public ConnectParameters connectParameters() {
        return parameters;
    }

    /** Where peers without the bond are served, what opens a session of the application's may be theirs. */
    @Override
    public boolean takesPlain() {
        return type == RecordType.FIRST && core.servesPlainPeers();
    }

    @Override
    public void prepare(final CmId physical) {
        if (!id.serviceClass().equals(ServiceClass.NONE)) {
            physical.serviceClass(id.serviceClass());
        }
    }

    @Override
    public int ownPort() {
        return id.ownPort();
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        assert core.holdsLock();
        QpRecovery.of(id.requireQp("connect")).attachment().equip(ready);
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        final UnsafeBuffer buffer = new UnsafeBuffer(reply);
        final ReplyRecord record =
                ReplyRecord.validate(buffer, 0, reply.length) == DecodeResult.OK ? ReplyRecord.decode(buffer, 0) : null;
        if (candidates.isPast(made.remote()) && !isPeer(record)) {
            candidates.leave(made.remote());
            onLinkFailed(made, nowNs);
            return;
        }
        if (takesPlain() && !TrailingHeader.isOfBond(reply) && !peers.isProven(made.remote(), core.hasKey())) {
            done = true;
            QpRecovery.of(id.requireQp("connect")).beginPlain(made);
            id.established(reply, from);
            return;
        }
        if (record == null) {
            // Somebody without the bond answered: refused, because nothing could be promised.
            done = true;
            QpAttachment.discard(id.bondQp(), made);
            id.rejected(PathLink.REJECTED_BY_CONSUMER, new byte[0]);
            return;
        }
        done = true;
        made.speaksFrom(record.sender());
        final Agreement agreed = Agreement.answered(core.wireVersion(), reply);
        core.counters().met(type, agreed, core.wireVersion());
        final BondQueuePair qp = id.requireQp("connect");
        QpRecovery.of(qp)
                .begin(
                        new QpIdentity(made.sessionOf(name), 0, place, record.reply().vQpNum(),
                                peers.met(record.instance(), made.remote(), record.members(), agreed, addresses)),
                        made,
                        parameters,
                        nowNs);
        if (type == RecordType.FIRST) {
            QpRecovery.of(qp).meet();
        }
        id.established(record.applicationData(), from.withQpNum(record.reply().vQpNum()));
    }

    /** Whether it is the peer that answers where the peer was; it may have members that it has no room to name. */
    private boolean isPeer(final @Nullable ReplyRecord answer) {
        return answer != null
                && (ReplyRecord.mayLeaveOut(answer.members()) || id.isPeer(answer.instance(), answer.members()));
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        assert core.holdsLock();
        final RejectRecord record = RejectRecord.read(data);
        if (record != null && mayAskAgain(record, rejected.remote())) {
            QpAttachment.discard(id.bondQp(), rejected);
            ask(Objects.requireNonNull(tried), nowNs);
            return;
        }
        if (record != null && record.code().isOfKeys()) {
            core.counters().keyRefused(record.code(), rejected.remote());
        }
        if (record != null && record.code() == RejectCode.NO_RESOURCES) {
            // The member at which it waited for the application leaves the peer's bond.
            onLinkFailed(rejected, nowNs);
            return;
        }
        if (candidates.passesOver(rejected.remote(), record != null)) {
            onLinkFailed(rejected, nowNs);
            return;
        }
        if (record == null && !isFinal(rejected.reason())) {
            candidates.refused(rejected.reason());
            onLinkFailed(rejected, nowNs);
            return;
        }
        QpAttachment.discard(id.bondQp(), rejected);
        if (record != null) {
            done = true;
            id.rejected(
                    PathLink.REJECTED_BY_CONSUMER,
                    record.code() == RejectCode.APPLICATION ? record.applicationData() : new byte[0]);
            return;
        }
        done = true;
        id.rejected(rejected.reason(), takesPlain() && !TrailingHeader.isOfBond(data) ? data : new byte[0]);
    }

    /** Whether a REJ without a record speaks for the peer: any other reason is one path's, or one moment's. */
    private static boolean isFinal(final int reason) {
        return reason == INVALID_SERVICE_ID || reason == PathLink.REJECTED_BY_CONSUMER;
    }

    /**
     * Whether the same bond is asked again at once: it has told what to sign with; it may be another start of it than
     * the one that told so before; or it may have the older key only.
     */
    private boolean mayAskAgain(final RejectRecord record, final InetAddress by) {
        final InetSocketAddress to = new InetSocketAddress(by, port);
        if (done || repeats == MOST_REPEATS) {
            return false;
        }
        if (isBehind && record.code() == RejectCode.GARBAGE) {
            isBehind = false; // a bond that knows the header in front alone
        } else if (record.code() == RejectCode.CHALLENGE) {
            core.proofs().told(to, record.applicationData());
        } else if (record.code() != RejectCode.BAD_PROOF) {
            return false;
        } else if (!core.proofs().forget(to)) {
            if (hasOlderKey || !core.proofs().hasOlder(by)) {
                return false;
            }
            hasOlderKey = true;
        }
        repeats++;
        return true;
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        assert core.holdsLock();
        QpAttachment.discard(id.bondQp(), failed);
        if (!done) {
            next(nowNs);
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        onLinkFailed(ended, nowNs);
    }
}
