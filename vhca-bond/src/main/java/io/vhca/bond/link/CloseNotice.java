package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.member.Member;
import io.vhca.recovery.SessionRecord;
import java.net.InetSocketAddress;

/**
 * Tells the peer's bond that a session is over when the application destroys a connected vQP without disconnecting:
 * one REQ with a CLOSE record, once. Should it be lost, the peer learns the same when it asks. Control lock.
 */
public final class CloseNotice implements PathLink.Owner {
    private final BondContext context;

    private CloseNotice(final BondContext context) {
        this.context = context;
    }

    public static void say(
            final BondContext context,
            final Member member,
            final InetSocketAddress destination,
            final SessionRecord record,
            final long nowNs) {
        final CloseNotice farewell = new CloseNotice(context);
        context.conductor().farewells().add(farewell);
        try {
            new PathLink(context, farewell, member, destination, record.encode(), nowNs).start();
        } catch (final VerbsException e) {
            context.counters().ignored(e);
            context.conductor().farewells().remove(farewell);
        }
    }

    private void over(final PathLink link) {
        context.conductor().farewells().remove(this);
        link.close();
    }

    @Override
    public void onLinkReady(final PathLink link) {
        // No QP: the record is all there is to say.
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

    @Override
    public void onLinkDisconnected(final PathLink link, final boolean deviceRemoval, final long nowNs) {
        over(link);
    }

    @Override
    public ConnectParameters connectParameters() {
        return ConnectParameters.of(new byte[0]);
    }
}
