package io.vhca.bond.link;

import io.vhca.api.cm.ConnectParameters;

/** Owns a link that nobody wants to hear of: one not judged yet, or one that was given up. */
public final class DiscardingOwner implements PathLink.Owner {
    public static final DiscardingOwner INSTANCE = new DiscardingOwner();

    private DiscardingOwner() {}

    @Override
    public void onLinkReady(final PathLink link) {
        // Given up.
    }

    @Override
    public void onLinkEstablished(
            final PathLink link, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        // Given up; whoever fences it closes it.
    }

    @Override
    public void onLinkRejected(final PathLink link, final byte[] privateData, final long nowNs) {
        // Given up.
    }

    @Override
    public void onLinkFailed(final PathLink link, final long nowNs) {
        if (link.qp() == null) {
            link.close();
        }
    }

    @Override
    public void onLinkDisconnected(final PathLink link, final boolean deviceRemoval, final long nowNs) {
        // Given up; whoever fences it closes it.
    }

    @Override
    public ConnectParameters connectParameters() {
        return ConnectParameters.of(new byte[0]);
    }
}
