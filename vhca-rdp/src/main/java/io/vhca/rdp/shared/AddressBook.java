package io.vhca.rdp.shared;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
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

    private final Map<Key, InetSocketAddress> known = new HashMap<>();
    /** What is looked up; one that is kept is a copy. */
    private final Key asked = new Key();
    private @Nullable InetSocketAddress lastWritten;
    private byte[] lastBytes = {};

    /**
     * An address and a port as they stand there. Who chooses them may choose those of one hash: keys have an order, by
     * which a map finds one of many such in few steps.
     */
    static final class Key implements Comparable<Key> {
        private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

        private long high;
        private long low;
        private int sizeAndPort;

        Key set(final long highBytes, final long lowBytes, final int itsSizeAndPort) {
            high = highBytes;
            low = lowBytes;
            sizeAndPort = itsSizeAndPort;
            return this;
        }

        Key copy() {
            return new Key().set(high, low, sizeAndPort);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(((high * ODD ^ low) * ODD ^ sizeAndPort) * ODD);
        }

        @Override
        public boolean equals(final @Nullable Object other) {
            return other instanceof final Key key && compareTo(key) == 0;
        }

        @Override
        public int compareTo(final Key other) {
            final int byHigh = Long.compare(high, other.high);
            final int byLow = byHigh != 0 ? byHigh : Long.compare(low, other.low);
            return byLow != 0 ? byLow : Integer.compare(sizeAndPort, other.sizeAndPort);
        }
    }

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
        final boolean isLong = bytes == IP6_BYTES;
        asked.set(
                isLong ? buffer.getLong(at) : 0, isLong ? buffer.getLong(at + Long.BYTES) : buffer.getInt(at),
                bytes << Short.SIZE | port);
        final InetSocketAddress before = known.get(asked);
        if (before != null) {
            return before;
        }
        if (known.size() == MOST) {
            known.clear();
        }
        final InetSocketAddress made = make(buffer, at, bytes, port);
        known.put(asked.copy(), made);
        return made;
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
