package io.vhca.disni;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct sockaddr_in} in native memory, as DiSNI passes it (ip(7)): family in host order, port and address in
 * network order, 16 bytes of which the last eight are unused. Stateless.
 */
final class SocketAddress {
    /** What DiSNI sets aside for one: as large as {@code struct sockaddr_in6}. */
    static final int RESERVED_BYTES = 28;

    private static final int AF_INET = 2;
    private static final int BYTES = 16;
    private static final int PORT_OFFSET = 2;
    private static final int IP_OFFSET = 4;
    private static final ValueLayout.OfShort NETWORK_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddress() {}

    /**
     * @throws VerbsException EINVAL for a family other than IPv4, the only one that DiSNI knows
     */
    static InetSocketAddress read(final String verb, final long address) {
        final MemorySegment from = NativeMemory.segment(address, BYTES);
        final short family = NativeMemory.getShort(address);
        if (family != AF_INET) {
            throw new VerbsException(
                    verb, Errno.EINVAL, "DiSNI", "address family " + family + " is not AF_INET (" + AF_INET + ")");
        }
        final byte[] ip = from.asSlice(IP_OFFSET, 4).toArray(ValueLayout.JAVA_BYTE);
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(ip), Short.toUnsignedInt(from.get(NETWORK_SHORT, PORT_OFFSET)));
        } catch (final UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    /** Writes the address, or zeros where there is none yet (rdma_get_local_addr(3)). */
    static void write(final long address, final @Nullable InetSocketAddress value) {
        final MemorySegment to = NativeMemory.segment(address, BYTES);
        to.fill((byte) 0);
        if (value != null && value.getAddress() instanceof final Inet4Address ip) {
            NativeMemory.putShort(address, (short) AF_INET);
            to.set(NETWORK_SHORT, PORT_OFFSET, (short) value.getPort());
            MemorySegment.copy(ip.getAddress(), 0, to, ValueLayout.JAVA_BYTE, IP_OFFSET, 4);
        }
    }
}
