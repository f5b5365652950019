package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Wire;

/**
 * Writes the 40 bytes in front of a UD receive (ibv_poll_cq(3), IBV_WC_GRH). RoCEv2 has no GRH: over IPv6 it is the IP
 * header, over IPv4 the IP header in the last 20 bytes. The carrier shows no IP header, so hop limit, traffic class and
 * checksum are what a sender without special wishes writes.
 *
 * <pre>
 *   IPv6:  0 version, class, flow   4 length   6 next   7 hops   8 source   24 destination   40
 *   IPv4:  0 zero   20 0x45   22 length   24 id, DF   28 TTL   29 protocol   30 checksum   32 source   36 destination
 * </pre>
 */
final class GrhWriter {
    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int HOPS = 64;
    private static final int DONT_FRAGMENT = 0x4000;

    private final long ownHigh;
    private final long ownLow;

    GrhWriter(final Gid own) {
        ownHigh = own.subnetPrefix();
        ownLow = own.interfaceId();
    }

    /**
     * @param payload       address of the payload in the packet that begins at {@code packet}
     * @param payloadLength bytes, pad excluded
     */
    void write(
            final long grh,
            final long sourceHigh,
            final long sourceLow,
            final long payload,
            final long packet,
            final int payloadLength) {
        final int padded = payloadLength + PacketOutput.pad(payloadLength);
        final int udpBytes = UDP_BYTES + (int) (payload - packet) + padded + Wire.ICRC_BYTES;
        if (!Icrc.isIpv4(sourceHigh, sourceLow)) {
            Wire.putInt(grh, 6 << 28);
            Wire.putInt(grh + 4, udpBytes << 16 | UDP_PROTOCOL << 8 | HOPS);
            Wire.putLong(grh + 8, sourceHigh);
            Wire.putLong(grh + 16, sourceLow);
            Wire.putLong(grh + 24, ownHigh);
            Wire.putLong(grh + 32, ownLow);
            return;
        }
        NativeMemory.fill(grh, IPV4_OFFSET, (byte) 0);
        final long ip = grh + IPV4_OFFSET;
        Wire.putInt(ip, 0x4500_0000 | IPV4_BYTES + udpBytes);
        Wire.putInt(ip + 4, DONT_FRAGMENT);
        Wire.putInt(ip + 8, HOPS << 24 | UDP_PROTOCOL << 16);
        Wire.putInt(ip + 12, (int) sourceLow);
        Wire.putInt(ip + 16, (int) ownLow);
        int sum = 0;
        for (int i = 0; i < IPV4_BYTES; i += Short.BYTES) {
            sum += Wire.getShort(ip + i);
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        Wire.putShort(ip + 10, ~(sum + (sum >>> 16)));
    }
}
