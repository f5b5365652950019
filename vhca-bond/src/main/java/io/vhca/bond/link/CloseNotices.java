package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Tells the peer's bond that a session is over when the application destroys a connected vQP without disconnecting:
 * one REQ with a CLOSE record, once. Should it be lost, the peer learns the same when it asks. Control lock.
 */
public final class CloseNotices {
    private final BondCore core;
    private final Links links;
    private final Set<Notice> underWay = new LinkedHashSet<>();

    public CloseNotices(final BondCore core, final Links links) {
        this.core = core;
        this.links = links;
    }

    /** Sends a notice over one path. */
    public void send(final Member member, final InetSocketAddress destination, final SessionRecord record) {
        assert core.holdsLock();
        final Notice notice = new Notice();
        underWay.add(notice);
        try {
            links.recover(notice, member, destination, record.encode(), false);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            underWay.remove(notice);
        }
    }

    /** True when none is waiting for its answer. */
    public boolean isEmpty() {
        assert core.holdsLock();
        return underWay.isEmpty();
    }

    /** Owns the link that carries the record. The notice ends with the link, whatever its outcome is. */
    private final class Notice implements PathLink.Question {
        private void over(final PathLink link) {
            underWay.remove(this);
            link.close();
        }

        @Override
        public void onLinkEstablished(
                final PathLink link, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
            over(link);
        }

        @Override
        public void onLinkRejected(final PathLink link, final byte[] privateData, final long nowNs) {
            over(link);
        }

        @Override
        public void onLinkFailed(final PathLink link, final long nowNs) {
            over(link);
        }
    }
}
