package io.vhca.physical.soft.wire;

/** What a link of Ethernet carries around the payload of a UDP packet. Pure. */
public final class Framing {
    private static final int ETHERNET_BYTES = 8 + 14 + 4 + 12; // preamble, header, FCS, gap
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;

    private Framing() {}

    /** From the preamble to the end of the UDP header, and from the FCS to the end of the gap. */
    public static int bytes(final boolean isIpv4) {
        return ETHERNET_BYTES + (isIpv4 ? IPV4_BYTES : IPV6_BYTES) + UDP_BYTES;
    }
}
