package io.vhca.bond.failover;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;

/**
 * The connection of a vQP with a peer that has no bond: it lives on one member and ends with it. There is no session,
 * and nothing is negotiated: what hardware says is what the application hears, and what hardware has not completed when
 * the connection ends is not done. Control lock.
 */
public final class PlainConnection implements PathLink.Owner {
    private final BondCore core;
    private final QpRecovery recovery;
    private final BondQueuePair qp;
    private final PathLink link;
    private boolean isClosed;

    PlainConnection(final BondCore core, final QpRecovery recovery, final BondQueuePair qp, final PathLink link) {
        this.core = core;
        this.recovery = recovery;
        this.qp = qp;
        this.link = link;
    }

    /** It stands: what was posted goes out. */
    void begin() {
        assert core.holdsLock();
        link.owner(this);
        core.counters().add(Counter.UNPROTECTED, 1);
        qp.sendQueue().plain(true);
        recovery.attachment().attachPlain(link);
    }

    PathLink link() {
        return link;
    }

    /**
     * The member is down, its device is dead, or hardware completes nothing any more. The bond's port may be up all the
     * same, so nothing else would tell the application: the first request that hardware has not completed fails as one
     * does whose retries are spent.
     */
    void fail() {
        assert core.holdsLock();
        core.counters().add(Counter.UNPROTECTED_LOST, 1);
        takeWhatIsDone();
        qp.announceError();
        qp.completeInError(WcStatus.RETRY_EXC_ERR.code(), 0);
        core.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, qp));
        recovery.finish();
    }

    /** Either side disconnects: what is left is flushed. */
    void end() {
        assert core.holdsLock();
        isClosed = true;
        takeWhatIsDone();
        recovery.finish();
    }

    /** Whether one side has disconnected: nothing has failed. */
    boolean isClosed() {
        return isClosed;
    }

    /** What hardware has completed counts, whoever has polled it. */
    void takeWhatIsDone() {
        recovery.attachment().pollIntoOwed();
        recovery.attachment().drop();
        qp.holdBack(false);
        qp.completeOwed(qp.sendQueue().doneSeq());
    }

    @Override
    public ConnectParameters connectParameters() {
        return ConnectParameters.of(new byte[0]);
    }

    @Override
    public void onLinkReady(final PathLink ready) {
        throw new IllegalStateException("it stands already");
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        // The peer's word of it, again.
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] privateData, final long nowNs) {
        onLinkFailed(rejected, nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        onLinkDisconnected(failed, false, nowNs);
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        assert core.holdsLock();
        if (recovery.isDead()) {
            recovery.finish();
        } else if (deviceRemoval) {
            fail();
        } else {
            end();
        }
    }
}
