package io.vhca.tool.exs;

import io.vhca.physical.soft.wire.Framing;

/**
 * What a link leaves for data: the rest is headers of RoCEv2 packets on Ethernet. A transfer is counted as WRITEs of
 * full packets, acknowledgements not at all; they go the other way.
 */
final class LinkShare {
    private static final int BTH_ICRC = 12 + 4;
    private static final int RETH = 16;

    private LinkShare() {}

    /** The part of the bytes on the wire that is data, for transfers in packets of at most {@code mtu} bytes of it. */
    static double ofData(final long transferBytes, final int mtu, final boolean isIpv6) {
        final long packets = (transferBytes + mtu - 1) / mtu;
        final long headers = packets * (Framing.bytes(!isIpv6) + BTH_ICRC) + RETH;
        return (double) transferBytes / (transferBytes + headers);
    }
}
