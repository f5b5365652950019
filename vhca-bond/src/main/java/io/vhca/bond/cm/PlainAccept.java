package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.failover.PlainConnection;
import io.vhca.bond.failover.QpAttachment;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.wire.RejectCode;

/**
 * The passive side of a connection with a peer that has no bond: one REQ, one answer, one member. Private data goes
 * through as it is. Control lock.
 */
final class PlainAccept implements BondCmId.PassiveAnswer, PathLink.Owner {
    private final BondCmId id;
    private final BondCore core;
    private final PathLink link;
    /** What the application was told that the peer asked for. */
    private final ConnectParameters asked;
    private ConnectParameters parameters = ConnectParameters.of(new byte[0]);
    private boolean isRejected;

    PlainAccept(final BondCmId id, final PathLink link, final ConnectParameters asked) {
        this.id = id;
        this.link = link;
        this.asked = asked;
        core = id.scope().core();
        link.owner(this);
    }

    @Override
    public void accept(final ConnectParameters given, final long nowNs) {
        assert core.holdsLock();
        if (isRejected) {
            return; // with the id, which was closed since
        }
        final BondQueuePair qp = id.bondQp();
        if (qp == null || link.state() != PathLink.State.REQUESTED) {
            link.rejectPlain(new byte[0]);
            id.failed(CmEventType.CONNECT_ERROR, -Errno.EINVAL);
            return;
        }
        parameters = given;
        try {
            QpRecovery.of(qp).attachment().equip(link);
            link.acceptPlain(given.privateData(), nowNs);
            link.waitUntil(nowNs + core.config().recoveryTimeoutNs());
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            QpAttachment.takeBack(qp, link);
            link.rejectPlain(new byte[0]);
            id.failed(CmEventType.CONNECT_ERROR, -e.errno());
        }
    }

    @Override
    public void reject(final RejectCode code, final byte[] data) {
        assert core.holdsLock();
        isRejected = true;
        QpAttachment.takeBack(id.bondQp(), link);
        link.rejectPlain(data);
    }

    @Override
    public ConnectParameters connectParameters() {
        return parameters;
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        throw new IllegalStateException("a passive link resolves no route");
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] none, final ConnectParameters from, final long nowNs) {
        assert core.holdsLock();
        QpRecovery.of(id.requireQp("accept")).beginPlain(made);
        id.established(new byte[0], asked); // not every device says it again
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        over(CmEventType.REJECTED);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        assert core.holdsLock();
        final BondQueuePair qp = id.bondQp();
        if (qp == null || !QpRecovery.of(qp).attachment().hasReceived()) {
            over(CmEventType.CONNECT_ERROR);
            return;
        }
        // A message arrived over the link, and its sender knows that: the connection stood, and has ended since.
        onLinkEstablished(link, new byte[0], asked, nowNs);
        final PlainConnection stood = QpRecovery.of(qp).plain();
        if (stood != null) {
            stood.onLinkDisconnected(link, !link.member().isAlive(), nowNs);
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        onLinkFailed(ended, nowNs);
    }

    /** Before it stood. An application that has not decided yet hears of it when it does. */
    private void over(final CmEventType why) {
        assert core.holdsLock();
        final boolean isAnswered = link.qp() != null;
        QpAttachment.discard(id.bondQp(), link);
        if (isAnswered) {
            id.failed(why, -Errno.ETIMEDOUT);
        }
    }
}
