package io.vhca.bond.failover;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;

/**
 * Asks the peer's bond over one path whether it carries, while a vQP lives on another: one REQ with a PROBE header,
 * which any bond answers by REJ, and nothing else changes. Control lock.
 */
public final class PathProbe implements PathLink.Question {
    private final BiConsumer<Boolean, Long> told;

    private PathProbe(final BiConsumer<Boolean, Long> told) {
        this.told = told;
    }

    /** Sends the probe; {@code told} hears once whether the path carries, and when. */
    public static void send(
            final BondCore core,
            final Links links,
            final Member member,
            final InetSocketAddress destination,
            final int qpNum,
            final long nowNs,
            final BiConsumer<Boolean, Long> told) {
        assert core.holdsLock();
        final byte[] request = new ConnectHeader(
                        RecordType.PROBE,
                        new SessionId(core.random().nextLong(), core.random().nextLong()),
                        member.id(),
                        qpNum)
                .encode(new byte[0]);
        try {
            links.connect(new PathProbe(told), member, destination, request);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            told.accept(false, nowNs);
        }
    }

    private void over(final PathLink link, final boolean carries, final long nowNs) {
        link.close();
        told.accept(carries, nowNs);
    }

    @Override
    public void onLinkEstablished(
            final PathLink link, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        over(link, false, nowNs);
    }

    @Override
    public void onLinkRejected(final PathLink link, final byte[] privateData, final long nowNs) {
        // A bond of a version that does not know the question rejects it too: any record proves the path.
        over(link, RejectRecord.read(privateData) != null, nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink link, final long nowNs) {
        over(link, false, nowNs);
    }
}
