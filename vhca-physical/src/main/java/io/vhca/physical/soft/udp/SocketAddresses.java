package io.vhca.physical.soft.udp;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;

/** Turns GIDs into socket addresses and back, in native memory and network order. Pure; any thread. */
final class SocketAddresses {
    private static final long V4_MAPPED = 0xffffL << 32;

    private SocketAddresses() {}

    static int family(final InetAddress address) {
        return address instanceof Inet4Address ? LibC.AF_INET : LibC.AF_INET6;
    }

    static int size(final int family) {
        return family == LibC.AF_INET ? SocketLayout.SIN_SIZE : SocketLayout.SIN6_SIZE;
    }

    /** True when a socket of that family can reach the GID. */
    static boolean fits(final int family, final Gid gid) {
        final boolean v4 = gid.subnetPrefix() == 0 && gid.interfaceId() >>> 32 == 0xffffL;
        return v4 == (family == LibC.AF_INET);
    }

    /** Room for one of either family. */
    static long allocate(final Arena arena) {
        return arena.allocate(SocketLayout.SA_STRIDE, Long.BYTES).address();
    }

    /** Writes {@code struct sockaddr_in} or {@code sockaddr_in6}. */
    static void write(final long at, final int family, final Gid gid, final int port, final int scopeId) {
        NativeMemory.fill(at, SocketLayout.SIN6_SIZE, (byte) 0);
        NativeMemory.putShort(at + SocketLayout.SA_FAMILY, (short) family);
        NativeMemory.putShort(at + SocketLayout.SA_PORT, Short.reverseBytes((short) port));
        if (family == LibC.AF_INET) {
            NativeMemory.putInt(at + SocketLayout.SIN_ADDR, Integer.reverseBytes((int) gid.interfaceId()));
            return;
        }
        NativeMemory.putLong(at + SocketLayout.SIN6_ADDR, Long.reverseBytes(gid.subnetPrefix()));
        NativeMemory.putLong(at + SocketLayout.SIN6_ADDR + Long.BYTES, Long.reverseBytes(gid.interfaceId()));
        NativeMemory.putInt(at + SocketLayout.SIN6_SCOPE, scopeId);
    }

    static int port(final long at) {
        return Short.reverseBytes(NativeMemory.getShort(at + SocketLayout.SA_PORT)) & 0xffff;
    }

    static long gidHigh(final long at, final int family) {
        return family == LibC.AF_INET ? 0 : Long.reverseBytes(NativeMemory.getLong(at + SocketLayout.SIN6_ADDR));
    }

    static long gidLow(final long at, final int family) {
        return family == LibC.AF_INET
                ? V4_MAPPED
                        | Integer.toUnsignedLong(
                                Integer.reverseBytes(NativeMemory.getInt(at + SocketLayout.SIN_ADDR)))
                : Long.reverseBytes(NativeMemory.getLong(at + SocketLayout.SIN6_ADDR + Long.BYTES));
    }

    static int scopeId(final InetAddress address) {
        return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }
}
