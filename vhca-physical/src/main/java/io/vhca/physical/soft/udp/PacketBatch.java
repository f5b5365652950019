package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import io.vhca.physical.rdmacore.sockaddr;
import java.lang.foreign.Arena;

/**
 * A fixed array of {@code struct mmsghdr}, each with its own buffer and room for an address, in one piece of native
 * memory. Not thread-safe.
 */
final class PacketBatch {
    private final int capacity;
    private final int bufferBytes;
    private final long headers;
    private final long vectors;
    private final long addresses;
    private final long buffers;

    PacketBatch(final Arena arena, final int capacity, final int bufferBytes) {
        this.capacity = capacity;
        this.bufferBytes = bufferBytes;
        headers = arena.allocate((long) capacity * SocketLayout.MMSG_SIZE, 64).address();
        vectors = arena.allocate((long) capacity * SocketLayout.IOV_SIZE, 64).address();
        addresses = arena.allocate((long) capacity * SocketLayout.SA_STRIDE, 64).address();
        buffers = arena.allocate((long) capacity * bufferBytes, 64).address();
        for (int i = 0; i < capacity; i++) {
            final long vector = vectors + (long) i * SocketLayout.IOV_SIZE;
            NativeMemory.putLong(vector + SocketLayout.IOV_BASE, buffer(i));
            NativeMemory.putLong(vector + SocketLayout.IOV_LEN, bufferBytes);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_NAME, address(i));
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOV, vector);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOVLEN, 1);
            armForReceive(i);
        }
    }

    int capacity() {
        return capacity;
    }

    int bufferBytes() {
        return bufferBytes;
    }

    long header(final int index) {
        return headers + (long) index * SocketLayout.MMSG_SIZE;
    }

    long address(final int index) {
        return addresses + (long) index * SocketLayout.SA_STRIDE;
    }

    long buffer(final int index) {
        return buffers + (long) index * bufferBytes;
    }

    /** The kernel shortens the address length at each receive: restored before the next. */
    void armForReceive(final int index) {
        NativeMemory.putInt(header(index) + SocketLayout.MSG_NAMELEN, SocketLayout.SIN6_SIZE);
    }

    int receivedBytes(final int index) {
        return NativeMemory.getInt(header(index) + SocketLayout.MMSG_LEN);
    }

    /** Makes entry {@code index} a packet of {@code lengthBytes} to a socket address kept elsewhere. */
    void fill(final int index, final long packet, final int lengthBytes, final long sockaddr, final int addressBytes) {
        NativeMemory.copy(packet, buffer(index), lengthBytes);
        address(index, lengthBytes, sockaddr, addressBytes);
    }

    /** The same behind a UDP header of its own. */
    void fillRaw(
            final int index, final long packet, final int lengthBytes, final long sockaddr, final int addressBytes) {
        RawUdp.putHeader(buffer(index), lengthBytes);
        NativeMemory.copy(packet, buffer(index) + RawUdp.HEADER_BYTES, lengthBytes);
        address(index, RawUdp.HEADER_BYTES + lengthBytes, sockaddr, addressBytes);
    }

    private void address(final int index, final int lengthBytes, final long sockaddr, final int addressBytes) {
        NativeMemory.putLong(vectors + (long) index * SocketLayout.IOV_SIZE + SocketLayout.IOV_LEN, lengthBytes);
        NativeMemory.putLong(header(index) + SocketLayout.MSG_NAME, sockaddr);
        NativeMemory.putInt(header(index) + SocketLayout.MSG_NAMELEN, addressBytes);
    }
}
