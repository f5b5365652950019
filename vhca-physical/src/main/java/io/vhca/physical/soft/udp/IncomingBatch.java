package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;

/**
 * What one recvmmsg(2) fills: messages, each with its own buffer, sender's address and control data. A message is one
 * packet, or a train of packets that the kernel carried as one (UDP_GRO, udp(7)): all of one length but the last, which
 * may be shorter. Not thread-safe.
 */
final class IncomingBatch {
    /** A train is a datagram for the kernel, and so never longer. */
    private static final int BUFFER_BYTES = 1 << 16;

    /** Room for what the kernel may tell of a message: the packets' length and the traffic class. */
    private static final int CONTROL_BYTES = 2 * SocketLayout.CMSG_SPACE;

    private final int capacity;
    private final long headers;
    private final long addresses;
    private final long controls;
    private final long buffers;

    /** @param capacity messages at most */
    IncomingBatch(final Arena arena, final int capacity) {
        this.capacity = capacity;
        headers = arena.allocate((long) capacity * SocketLayout.MMSG_SIZE, 64).address();
        final long vectors =
                arena.allocate((long) capacity * SocketLayout.IOV_SIZE, 64).address();
        addresses = arena.allocate((long) capacity * SocketLayout.SA_STRIDE, 64).address();
        controls = arena.allocate((long) capacity * CONTROL_BYTES, 64).address();
        buffers = arena.allocate((long) capacity * BUFFER_BYTES, 64).address();
        for (int i = 0; i < capacity; i++) {
            final long vector = vectors + (long) i * SocketLayout.IOV_SIZE;
            NativeMemory.putLong(vector + SocketLayout.IOV_BASE, buffer(i));
            NativeMemory.putLong(vector + SocketLayout.IOV_LEN, BUFFER_BYTES);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_NAME, address(i));
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOV, vector);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOVLEN, 1);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_CONTROL, control(i));
            arm(i);
        }
    }

    int capacity() {
        return capacity;
    }

    long header(final int message) {
        return headers + (long) message * SocketLayout.MMSG_SIZE;
    }

    long address(final int message) {
        return addresses + (long) message * SocketLayout.SA_STRIDE;
    }

    private long control(final int message) {
        return controls + (long) message * CONTROL_BYTES;
    }

    long buffer(final int message) {
        return buffers + (long) message * BUFFER_BYTES;
    }

    int receivedBytes(final int message) {
        return NativeMemory.getInt(header(message) + SocketLayout.MMSG_LEN);
    }

    /** Length of the packets of a message, the last apart; that of the message where it is no train. */
    int segmentBytes(final int message) {
        final int bytes = receivedBytes(message);
        final long told =
                IpControl.find(control(message), controlBytes(message), LibC.SOL_UDP, LibC.UDP_GRO, Integer.BYTES);
        final int segment = told == IpControl.NOT_THERE ? bytes : NativeMemory.getInt(told);
        return segment > 0 ? segment : bytes;
    }

    /** The traffic class of a message; 0 where the kernel did not tell. */
    int trafficClass(final int message) {
        return IpControl.trafficClass(control(message), controlBytes(message));
    }

    private long controlBytes(final int message) {
        return NativeMemory.getLong(header(message) + SocketLayout.MSG_CONTROLLEN);
    }

    /** The kernel says in the header how much it wrote: what it may write is restored before the next receive. */
    void arm(final int message) {
        NativeMemory.putInt(header(message) + SocketLayout.MSG_NAMELEN, SocketLayout.SIN6_SIZE);
        NativeMemory.putLong(header(message) + SocketLayout.MSG_CONTROLLEN, CONTROL_BYTES);
    }
}
