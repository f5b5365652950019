package io.vhca.api;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * A global identifier, 128 bits big-endian ({@code union ibv_gid}). On RoCE it is an IP address, IPv4 mapped into
 * {@code ::ffff:0:0/96}.
 */
public record Gid(long subnetPrefix, long interfaceId) {
    private static final long V4_MAPPED = 0xffffL << 32;

    /** The GID of an IP address. */
    public static Gid of(final InetAddress address) {
        final ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        if (bytes.capacity() == 4) {
            return new Gid(0, V4_MAPPED | Integer.toUnsignedLong(bytes.getInt()));
        }
        return new Gid(bytes.getLong(), bytes.getLong());
    }

    /** True for the all-zero GID, an empty table entry. */
    public boolean isZero() {
        return subnetPrefix == 0 && interfaceId == 0;
    }

    /** True for a GID that stands for an IPv4 address. */
    public boolean isIpv4() {
        return subnetPrefix == 0 && interfaceId >>> 32 == 0xffff;
    }

    /** True for fe80::/64, which names nothing without its interface. */
    public boolean isLinkLocal() {
        return subnetPrefix >>> 54 == 0xfe80 >>> 6;
    }

    /** The IP address that this GID stands for; a v4-mapped GID gives an IPv4 address. */
    public InetAddress address() {
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(16).putLong(subnetPrefix).putLong(interfaceId).array());
        } catch (final UnknownHostException e) {
            throw new AssertionError("16 bytes are always an address", e);
        }
    }

    @Override
    public String toString() {
        final InetAddress address = address();
        return (address instanceof Inet6Address ? "" : "::ffff:") + address.getHostAddress();
    }
}
