package io.vhca.rdp.shared;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * One place for each socket of a client where the driver leaves a short datagram before the client asks for it: who is
 * woken for that has it without a call. It comes before all that the driver still has for that socket. The driver's
 * thread fills, who has the client's lock takes, any thread looks.
 *
 * <p>Each end believes nothing of the other but whether there is a datagram.
 */
final class ReceiveSlots {
    private final AtomicBuffer buffer;

    /** @param buffer a slot a socket */
    ReceiveSlots(final AtomicBuffer buffer) {
        this.buffer = buffer;
        assert buffer.capacity() == RegionDescriptor.MOST_SOCKETS * RegionDescriptor.SLOT_SIZE : buffer.capacity();
    }

    boolean isEmpty(final int socket) {
        // Acquire pairs with the release of fill and of empty.
        return buffer.getIntAcquire(socket * RegionDescriptor.SLOT_SIZE) == RegionDescriptor.SLOT_EMPTY;
    }

    /** The driver leaves a datagram for a socket that had none there. */
    void fill(
            final int socket, final InetSocketAddress from, final AddressBook addresses, final DirectBuffer datagram,
            final int lengthBytes) {
        assert lengthBytes <= RegionDescriptor.SLOT_MOST_BYTES : lengthBytes;
        final int at = socket * RegionDescriptor.SLOT_SIZE;
        addresses.write(buffer, at + RegionDescriptor.SLOT_PORT_OFFSET, from);
        buffer.putBytes(at + RegionDescriptor.SLOT_DATA_OFFSET, datagram, 0, lengthBytes);
        buffer.putIntRelease(at + RegionDescriptor.SLOT_STATE_OFFSET, lengthBytes + 1);
    }

    /**
     * How long the datagram is that is there for a socket; -1 where there is none.
     *
     * @throws CorruptRingException where none can be that long
     */
    int length(final int socket) {
        final int length = buffer.getIntAcquire(socket * RegionDescriptor.SLOT_SIZE) - 1;
        if (length < -1 || length > RegionDescriptor.SLOT_MOST_BYTES) {
            throw new CorruptRingException("a datagram of " + length + " bytes is left for socket " + socket
                    + ", where " + RegionDescriptor.SLOT_MOST_BYTES + " have room");
        }
        return length;
    }

    /**
     * Who sent it.
     *
     * @throws CorruptRingException where that is no address
     */
    InetSocketAddress source(final int socket, final AddressBook addresses) {
        return addresses.read(buffer, socket * RegionDescriptor.SLOT_SIZE + RegionDescriptor.SLOT_PORT_OFFSET);
    }

    void copy(final int socket, final ByteBuffer target, final int bytes) {
        buffer.getBytes(socket * RegionDescriptor.SLOT_SIZE + RegionDescriptor.SLOT_DATA_OFFSET, target, bytes);
    }

    /** There is none any more. */
    void empty(final int socket) {
        final int at = socket * RegionDescriptor.SLOT_SIZE;
        buffer.putIntRelease(at + RegionDescriptor.SLOT_STATE_OFFSET, RegionDescriptor.SLOT_EMPTY);
    }
}
