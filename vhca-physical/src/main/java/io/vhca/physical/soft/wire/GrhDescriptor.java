package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;

/**
 * The 40 bytes in front of a UD receive (ibv_poll_cq(3), IBV_WC_GRH). RoCEv2 has no GRH: over IPv6 they are the IP
 * header, over IPv4 the IP header in the last 20 bytes. The carrier shows of the IP header the traffic class alone, so
 * hop limit and checksum are what a sender without special wishes writes.
 *
 * <pre>
 *   IPv6:  0                      4        6      7      8        24            40
 *          | version, class, flow | length | next | hops | source | destination |
 *   IPv4:  0      20           22       24   26    28    29         30         32       36            40
 *          | zero | 0x45, class | length | id | DF  | TTL | protocol | checksum | source | destination |
 * </pre>
 */
public final class GrhDescriptor {
    public static final int SIZE = Wire.GRH_BYTES;

    private static final int LENGTH_NEXT_HOPS_OFFSET = Integer.BYTES;
    private static final int SOURCE_OFFSET = LENGTH_NEXT_HOPS_OFFSET + Integer.BYTES;
    private static final int DESTINATION_OFFSET = SOURCE_OFFSET + 2 * Long.BYTES;
    private static final int IPV6_BYTES = DESTINATION_OFFSET + 2 * Long.BYTES;

    private static final int IPV4_BYTES = 20;
    private static final int IPV4_OFFSET = SIZE - IPV4_BYTES;
    private static final int IPV4_FRAGMENT_OFFSET = IPV4_OFFSET + Integer.BYTES;
    private static final int IPV4_TTL_PROTOCOL_OFFSET = IPV4_FRAGMENT_OFFSET + Integer.BYTES;
    private static final int IPV4_CHECKSUM_OFFSET = IPV4_TTL_PROTOCOL_OFFSET + Short.BYTES;
    private static final int IPV4_SOURCE_OFFSET = IPV4_CHECKSUM_OFFSET + Short.BYTES;
    private static final int IPV4_DESTINATION_OFFSET = IPV4_SOURCE_OFFSET + Integer.BYTES;

    private static final int UDP_BYTES = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int HOPS = 64;
    private static final int DONT_FRAGMENT = 0x4000;

    static {
        if (IPV6_BYTES != SIZE || IPV4_DESTINATION_OFFSET + Integer.BYTES != SIZE) {
            throw new ExceptionInInitializerError("a GRH is " + SIZE + " bytes");
        }
    }

    private GrhDescriptor() {}

    /**
     * Writes the header of a received packet.
     *
     * @param ownHigh high half of the receiver's GID
     * @param ownLow  low half of the receiver's GID
     */
    public static void write(
            final long grh, final PacketFlyweight packet, final long ownHigh, final long ownLow) {
        final int length = packet.payloadLength();
        final int padded = length + (-length & 3);
        final int udpBytes = UDP_BYTES + packet.headerBytes() + padded + Wire.ICRC_BYTES;
        if (Icrc.isIpv4(packet.sourceHigh(), packet.sourceLow())) {
            writeIpv4(grh, udpBytes, packet.trafficClass(), (int) packet.sourceLow(), (int) ownLow);
            return;
        }
        Wire.putInt(grh, 6 << 28 | packet.trafficClass() << 20);
        Wire.putInt(grh + LENGTH_NEXT_HOPS_OFFSET, udpBytes << 16 | UDP_PROTOCOL << 8 | HOPS);
        Wire.putLong(grh + SOURCE_OFFSET, packet.sourceHigh());
        Wire.putLong(grh + SOURCE_OFFSET + Long.BYTES, packet.sourceLow());
        Wire.putLong(grh + DESTINATION_OFFSET, ownHigh);
        Wire.putLong(grh + DESTINATION_OFFSET + Long.BYTES, ownLow);
    }

    private static void writeIpv4(
            final long grh, final int udpBytes, final int trafficClass, final int source, final int own) {
        NativeMemory.fill(grh, IPV4_OFFSET, (byte) 0);
        Wire.putInt(grh + IPV4_OFFSET, 0x4500_0000 | trafficClass << 16 | IPV4_BYTES + udpBytes);
        Wire.putInt(grh + IPV4_FRAGMENT_OFFSET, DONT_FRAGMENT);
        Wire.putInt(grh + IPV4_TTL_PROTOCOL_OFFSET, HOPS << 24 | UDP_PROTOCOL << 16);
        Wire.putInt(grh + IPV4_SOURCE_OFFSET, source);
        Wire.putInt(grh + IPV4_DESTINATION_OFFSET, own);
        int sum = 0;
        for (int i = 0; i < IPV4_BYTES; i += Short.BYTES) {
            sum += Wire.getShort(grh + IPV4_OFFSET + i);
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        Wire.putShort(grh + IPV4_CHECKSUM_OFFSET, ~(sum + (sum >>> 16)));
    }
}
