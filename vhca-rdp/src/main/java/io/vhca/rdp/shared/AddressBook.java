package io.vhca.rdp.shared;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Addresses as they stand in the shared memory: port, how many bytes, and sixteen of them. One object for all of one
 * address and port, so that what was used once is not made again. One thread at a time.
 */
final class AddressBook {
    private static final int IP4_BYTES = 4;
    private static final int IP6_BYTES = 16;
    /** A client that names ever more addresses is forgotten what it named. */
    private static final int MOST = 1 << 16;

    private final Long2ObjectHashMap<InetSocketAddress> short4 = new Long2ObjectHashMap<>();
    private final Map<InetSocketAddress, InetSocketAddress> long6 = new HashMap<>();
    private @Nullable InetSocketAddress lastWritten;
    private byte[] lastBytes = {};

    /**
     * What stands there.
     *
     * @throws CorruptRingException where it is no address
     */
    InetSocketAddress read(final DirectBuffer buffer, final int portOffset) {
        final int port = buffer.getInt(portOffset);
        final int bytes = buffer.getInt(portOffset + Integer.BYTES);
        final int at = portOffset + 2 * Integer.BYTES;
        if (port < 0 || port > 0xFFFF || bytes != IP4_BYTES && bytes != IP6_BYTES) {
            throw new CorruptRingException("it names port " + port + " of an address of " + bytes + " bytes");
        }
        if (bytes == IP6_BYTES) {
            return read6(buffer, at, port);
        }
        final long key = (long) buffer.getInt(at) << Short.SIZE | port;
        final InetSocketAddress known = short4.get(key);
        if (known != null) {
            return known;
        }
        if (short4.size() == MOST) {
            short4.clear();
        }
        final InetSocketAddress made = make(buffer, at, bytes, port);
        short4.put(key, made);
        return made;
    }

    private InetSocketAddress read6(final DirectBuffer buffer, final int at, final int port) {
        if (long6.size() == MOST) {
            long6.clear();
        }
        return long6.computeIfAbsent(make(buffer, at, IP6_BYTES, port), made -> made);
    }

    private static InetSocketAddress make(final DirectBuffer buffer, final int at, final int bytes, final int port) {
        final byte[] raw = new byte[bytes];
        buffer.getBytes(at, raw);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(raw), port);
        } catch (final UnknownHostException e) {
            throw new AssertionError("four or sixteen bytes are an address", e);
        }
    }

    void write(final MutableDirectBuffer buffer, final int portOffset, final InetSocketAddress address) {
        if (address != lastWritten) {
            lastBytes = address.getAddress().getAddress();
            lastWritten = address;
        }
        buffer.putInt(portOffset, address.getPort());
        buffer.putInt(portOffset + Integer.BYTES, lastBytes.length);
        buffer.putBytes(portOffset + 2 * Integer.BYTES, lastBytes);
    }
}
