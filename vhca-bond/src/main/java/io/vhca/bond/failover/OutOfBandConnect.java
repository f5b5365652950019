package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.QpIdentity;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpLifecycle;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a vQP that modifyQp alone brings up comes to be connected: in RTR it may be asked, in RTS it asks as well, and of
 * the two sessions of sides that ask at once the {@link OutOfBand#isStronger stronger} one stays. Control lock.
 */
public final class OutOfBandConnect implements QpLifecycle.OutOfBand {
    private final QpRecovery recovery;
    private final BondQueuePair qp;
    private final BondCore core;
    private final Recoveries recoveries;
    private @Nullable OutOfBand told;
    /** The session that this side asked with, in this life of the queue pair; the peer's may have taken its place. */
    private @Nullable SessionId made;
    /** The peer asked while this side was in RTR: the physical QP was made before this side's rnr_retry was told. */
    private boolean isEarly;
    /** What was told since then takes another physical QP. */
    private boolean isOutdated;

    OutOfBandConnect(final Recoveries recoveries, final QpRecovery recovery, final BondQueuePair qp) {
        this.recoveries = recoveries;
        this.recovery = recovery;
        this.qp = qp;
        core = recoveries.scope().core();
    }

    /** Refuses a move to RTR that names this very queue pair: the connection manager connects two. */
    @Override
    public void requireOther(final QpAttributes toRtr) {
        final OutOfBand peer = OutOfBand.of(core, toRtr);
        final Members members = recoveries.scope().members();
        if (peer.destQpNum() == qp.qpNum() && peer.addresses().stream().anyMatch(members::isOwnAddress)) {
            throw new VerbsException(
                    "modifyQp", Errno.EOPNOTSUPP, qp.toString(),
                    "a bond carries no queue pair that is its own peer: connect two");
        }
    }

    /** The application said who the peer is, by a move to RTR. */
    @Override
    public void onReadyToReceive(final QpAttributes attributes) {
        assert core.holdsLock();
        if (!recovery.isTaken()) {
            final OutOfBand peer = OutOfBand.of(core, attributes);
            told = peer;
            recovery.beginAnew(identity(OutOfBand.newSession(core, attributes.sqPsn()), 0, new Peer(0)));
            peer.addresses().forEach(address -> recovery.paths().indexOf(address));
        }
    }

    /** And to RTS: this side asks, unless the peer has done so. */
    @Override
    public void onReadyToSend(final QpAttributes attributes) {
        assert core.holdsLock();
        if (told == null || recovery.isDead()) {
            return;
        }
        if (recovery.machine().state() == RecoveryState.IDLE) {
            final SessionId session = OutOfBand.newSession(core, attributes.sqPsn());
            made = session;
            recovery.beginAnew(identity(session, 0, recovery.identity().peer()));
            startLater();
        } else if (isEarly && attributes.rnrRetry() != ConnectParameters.ENDLESS_RNR_RETRY) {
            onRnrRetryChanged();
        }
        isEarly = false;
    }

    /** Hardware takes it with a move to RTS alone; what stands by has made that move before it was told, too. */
    @Override
    public void onRnrRetryChanged() {
        assert core.holdsLock();
        if (!recovery.attachment().isPlain()) {
            isOutdated = true;
            recovery.attachment().giveUpStandby();
            replaceLater();
        }
    }

    /** A planned move makes another physical QP, as soon as there is one. */
    private void replaceLater() {
        if (!isOutdated) {
            return;
        }
        core.later(nowNs -> {
            if (isOutdated && recovery.healthyLink() != null) {
                isOutdated = false;
                recovery.onPathFailure(FailureReason.PLANNED, nowNs);
            }
        });
    }

    private QpIdentity identity(final SessionId session, final int side, final Peer peer) {
        return new QpIdentity(session, side, PathPreference.PEERS, Objects.requireNonNull(told).destQpNum(), peer);
    }

    private void startLater() {
        core.later(nowNs -> {
            if (told != null && !recovery.isDead() && recovery.machine().state() == RecoveryState.IDLE) {
                recovery.machine().start(nowNs);
            }
        });
    }

    /** A REQ to connect out of band; the asking side made its session, for this life of its queue pair. */
    public void onRequest(final OutOfBandRecord record, final PathLink request, final long nowNs) {
        assert core.holdsLock();
        final SessionId asked = record.request().session();
        if (told == null || recovery.isDead()) {
            request.refuseUnknown(asked);
            return;
        }
        final SessionId own = recovery.identity().session();
        final boolean isOwn = own.isShownBy(asked);
        if (isOwn) {
            recovery.exchange().onRequest(record, request, nowNs);
        } else if (!isMade(asked) && !told.expects(record.request()) || hasLived()) {
            // Not the one this side was told of; or the peer lives anew, and this side was not in RESET since: then,
            // as on hardware, nothing comes of it.
            request.refuseUnknown(asked);
        } else if (!told.isAt(request.remote(), recoveries.scope().peers())) {
            request.refuseNotNamed(asked);
        } else if (recovery.machine().state() == RecoveryState.CONNECTING
                && OutOfBand.isStronger(own, asked)) {
            request.reject(new RejectRecord(RejectCode.TIE_YIELD, asked, 0).encode());
        } else {
            isEarly = qp.state() == QpState.RTR;
            recovery.beginAnew(identity(asked, isMade(asked) ? 0 : 1, recovery.identity().peer()));
            recovery.exchange().onRequest(record, request, nowNs);
        }
    }

    /** Both asked at once, each took the other's session, and neither got to its end: the peer asks with this one's. */
    private boolean isMade(final SessionId asked) {
        return made != null && made.isShownBy(asked);
    }

    /** The peer has done something here, be it before this side knew that the connection stands. */
    private boolean hasLived() {
        return recovery.machine().recoveries() > 0
                || recovery.attachment().hasReceived()
                || qp.remembersPeer();
    }

    /** The connection stands, for the first time or again. As by CM, the side whose session it is places the vQP. */
    void connected() {
        assert core.holdsLock();
        if (qp.state() == QpState.RTR && recovery.machine().recoveries() == 0) {
            core.raise(AsyncEvent.ofQp(AsyncEventType.COMM_EST, qp));
        }
        if (told != null && recovery.identity().side() == 0) {
            recovery.paths().placeHere(told.addresses().getFirst(), recovery.peerPort(), qp.qpNum());
        }
        replaceLater();
    }

    /**
     * No path for {@code recovery_timeout}: a peer that never was there is waited for as long as nothing is posted for
     * it, as hardware in RTS would do.
     */
    boolean waitsOn() {
        assert core.holdsLock();
        if (told == null
                || recovery.machine().recoveries() > 0
                || qp.sendQueue().retired() != qp.sendQueue().producerInside()) {
            return false;
        }
        recovery.beginAnew(recovery.identity());
        startLater();
        return true;
    }

    void reset() {
        assert core.holdsLock();
        told = null;
        made = null;
        isEarly = false;
        isOutdated = false;
    }
}
