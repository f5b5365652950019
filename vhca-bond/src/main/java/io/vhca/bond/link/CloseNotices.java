package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the peer's bond that a session is over when the application destroys a vQP that is connected, or whose
 * disconnect the peer has not heard of yet: a REQ with a CLOSE record, over one path after the other until the peer
 * answers. Should all be lost, the peer learns the same when it asks. Control lock.
 */
public final class CloseNotices {
    private final BondCore core;
    private final Members members;
    private final Links links;
    private final Set<Notice> underWay = new LinkedHashSet<>();

    public CloseNotices(final BondCore core, final Members members, final Links links) {
        this.core = core;
        this.members = members;
        this.links = links;
    }

    /**
     * What is said, and where the peer may be: at that port of any of those addresses.
     *
     * @param hasOlderKey whether the peer has refused the newest key
     */
    public record Farewell(RecoveryRequest request, RemotePaths paths, int port, boolean hasOlderKey) {}

    /** Says it, over that path first where it can be used. */
    public void send(final Farewell farewell, final PathId first, final long nowNs) {
        assert core.holdsLock();
        farewell.paths().refresh();
        new Notice(farewell).tryFrom(farewell.paths().table().usable(first) ? first : null, nowNs);
    }

    /** The same where a link has said it already: its answer is awaited here from now on. */
    public void send(final Farewell farewell, final PathLink asked, final PathId over) {
        assert core.holdsLock();
        new Notice(farewell).await(asked, over);
    }

    /** True when none is waiting for its answer. */
    public boolean isEmpty() {
        assert core.holdsLock();
        return underWay.isEmpty();
    }

    /** Owns the link that carries the record. It ends with any answer, and when all paths have failed. */
    private final class Notice implements PathLink.Question {
        private final Farewell farewell;
        private final BitSet tried = new BitSet();
        private boolean hasOlderKey;
        private PathId asked = PathId.NONE;

        Notice(final Farewell farewell) {
            this.farewell = farewell;
            hasOlderKey = farewell.hasOlderKey();
            underWay.add(this);
        }

        void await(final PathLink link, final PathId over) {
            asked = over;
            tried.set(farewell.paths().table().index(over));
            link.owner(this);
        }

        void tryFrom(final @Nullable PathId first, final long nowNs) {
            PathId path = first == null ? next(nowNs) : first;
            while (path != null && !ask(path)) {
                path = next(nowNs);
            }
            if (path == null) {
                underWay.remove(this);
            }
        }

        private @Nullable PathId next(final long nowNs) {
            return farewell.paths().table().next(tried, nowNs);
        }

        private boolean ask(final PathId path) {
            asked = path;
            tried.set(farewell.paths().table().index(path));
            final Member member = members.all().get(path.localMember());
            final InetSocketAddress to =
                    new InetSocketAddress(farewell.paths().address(path.remoteAddress()), farewell.port());
            try {
                final byte[] data = new SessionRecord(member.id(), farewell.request()).encode();
                links.recover(this, member, to, data, hasOlderKey);
                return true;
            } catch (final VerbsException e) {
                core.counters().ignored(e);
                return false;
            }
        }

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
            final RejectRecord record = RejectRecord.read(privateData);
            if (record == null || !record.code().isOfKeys()) {
                over(link);
                return;
            }
            // Nobody proved to be the peer. It may have another key by now, or still.
            hasOlderKey = record.code() == RejectCode.BAD_PROOF && !hasOlderKey;
            link.close();
            tryFrom(hasOlderKey ? asked : null, nowNs);
        }

        @Override
        public void onLinkFailed(final PathLink link, final long nowNs) {
            link.close();
            tryFrom(null, nowNs);
        }
    }
}
