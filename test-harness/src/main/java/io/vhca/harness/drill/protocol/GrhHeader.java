package io.vhca.harness.drill.protocol;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcFlags;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * What stands in front of a datagram's data. Over RoCEv2 that is the packet's IP header, that of IPv4 at the end of the
 * 40 bytes (IBA annex A17.4.5.1).
 */
public final class GrhHeader {
    /** Bytes in front of the data. */
    public static final int SIZE = WcFlags.GRH_BYTES;

    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_SOURCE_OFFSET = IPV4_OFFSET + 12;
    private static final int IPV6_SOURCE_OFFSET = 8;
    private static final byte IPV4_VERSION_LENGTH = 0x45;

    private GrhHeader() {}

    /** Who sent it. */
    public static Gid source(final long header) {
        final boolean isIpv4 = NativeMemory.getByte(header + IPV4_OFFSET) == IPV4_VERSION_LENGTH;
        final byte[] address = new byte[isIpv4 ? 4 : 16];
        for (int i = 0; i < address.length; i++) {
            address[i] = NativeMemory.getByte(header + (isIpv4 ? IPV4_SOURCE_OFFSET : IPV6_SOURCE_OFFSET) + i);
        }
        try {
            return Gid.of(InetAddress.getByAddress(address));
        } catch (final UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
