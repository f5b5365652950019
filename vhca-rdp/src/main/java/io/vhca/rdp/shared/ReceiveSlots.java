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
        assert buffer.capacity() == RegionDescriptor.MOST_SOCKETS * SlotDescriptor.SIZE : buffer.capacity();
    }

    boolean isEmpty(final int socket) {
        // Acquire pairs with the release of fill and of empty.
        return buffer.getIntAcquire(socket * SlotDescriptor.SIZE) == SlotDescriptor.NONE;
    }

    /** The driver leaves a datagram for a socket that had none there. */
    void fill(
            final int socket, final InetSocketAddress from, final AddressBook addresses, final DirectBuffer datagram,
            final int lengthBytes) {
        assert lengthBytes <= SlotDescriptor.MOST_BYTES : lengthBytes;
        final int at = socket * SlotDescriptor.SIZE;
        addresses.write(buffer, at + SlotDescriptor.PORT_OFFSET, from);
        buffer.putBytes(at + SlotDescriptor.DATA_OFFSET, datagram, 0, lengthBytes);
        buffer.putIntRelease(at + SlotDescriptor.STATE_OFFSET, lengthBytes + 1);
    }

    /**
     * How long the datagram is that is there for a socket; -1 where there is none.
     *
     * @throws CorruptRingException where none can be that long
     */
    int length(final int socket) {
        final int length = buffer.getIntAcquire(socket * SlotDescriptor.SIZE) - 1;
        if (length < -1 || length > SlotDescriptor.MOST_BYTES) {
            throw new CorruptRingException("a datagram of " + length + " bytes is left for socket " + socket
                    + ", where " + SlotDescriptor.MOST_BYTES + " have room");
        }
        return length;
    }

    /**
     * Who sent it.
     *
     * @throws CorruptRingException where that is no address
     */
    InetSocketAddress source(final int socket, final AddressBook addresses) {
        return addresses.read(buffer, socket * SlotDescriptor.SIZE + SlotDescriptor.PORT_OFFSET);
    }

    void copy(final int socket, final ByteBuffer target, final int bytes) {
        buffer.getBytes(socket * SlotDescriptor.SIZE + SlotDescriptor.DATA_OFFSET, target, bytes);
    }

    /** There is none any more. */
    void empty(final int socket) {
        buffer.putIntRelease(socket * SlotDescriptor.SIZE + SlotDescriptor.STATE_OFFSET, SlotDescriptor.NONE);
    }
}
