package io.vhca.physical.verbs.lib;

import io.vhca.api.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Layout of {@code struct sockaddr_in} and {@code sockaddr_in6}.
 *
 * <pre>
 *   0        2      4           8            24         28
 *   | family | port | address   |                                  AF_INET
 *   | family | port | flow info | address    | scope id |          AF_INET6
 * </pre>
 */
public final class SockAddr {
    /** Room for either; {@code struct sockaddr_storage}. */
    public static final int SIZE = 128;

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int PORT_OFFSET = Short.BYTES;
    private static final int V4_OFFSET = PORT_OFFSET + Short.BYTES;
    private static final int V6_OFFSET = V4_OFFSET + Integer.BYTES;
    private static final int SCOPE_OFFSET = V6_OFFSET + 16;

    private SockAddr() {}

    public static MemorySegment write(final SegmentAllocator allocator, final InetAddress address, final int port) {
        final MemorySegment segment = allocator.allocate(SIZE, Long.BYTES).fill((byte) 0);
        final long at = segment.address();
        final byte[] bytes = address.getAddress();
        NativeMemory.putShort(at, address instanceof Inet4Address ? AF_INET : AF_INET6);
        NativeMemory.putShort(at + PORT_OFFSET, Short.reverseBytes((short) port));
        final int offset = address instanceof Inet4Address ? V4_OFFSET : V6_OFFSET;
        for (int i = 0; i < bytes.length; i++) {
            NativeMemory.putByte(at + offset + i, bytes[i]);
        }
        if (address instanceof final Inet6Address v6) {
            NativeMemory.putInt(at + SCOPE_OFFSET, v6.getScopeId());
        }
        return segment;
    }

    /** Null where no address is written. */
    public static @Nullable InetSocketAddress read(final long at) {
        final short family = NativeMemory.getShort(at);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        final byte[] bytes = new byte[family == AF_INET ? 4 : 16];
        final int offset = family == AF_INET ? V4_OFFSET : V6_OFFSET;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = NativeMemory.getByte(at + offset + i);
        }
        final int port = Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(at + PORT_OFFSET)));
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (final UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
