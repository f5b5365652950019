package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.wire.FillDescriptor;
import java.lang.foreign.Arena;

/**
 * Packets that wait to be sent by one sendmmsg(2), one behind the other in one piece of native memory.
 *
 * <p>Neighbours of one length and one destination may be coupled to a train: one message, which the kernel carries as
 * one and cuts into packets as late as it can (UDP_SEGMENT, udp(7)); the last packet of a train may be shorter. A train
 * costs the kernel little more than a packet. So a packet that is somewhat shorter than those before it does not end
 * the train where the destination takes filled ones: the next is built where the short one ends when it is filled up,
 * and only if that next one goes into the same train it is. Nor does one that is a header longer than the first: the
 * packets of a train are as long from the first on as the longest that went there, where that is no more than a header
 * longer. Not thread-safe.
 *
 * <pre>
 * memory   | packet | packet | short | gap | place of the next |     |
 * messages | train: address, control says the packets' length  |  |
 * </pre>
 */
final class OutgoingTrains {
    /** What every kernel with UDP_SEGMENT takes. */
    static final int MOST_PACKETS = 64;

    /** Fits into a datagram of either IP version. */
    static final int MOST_BYTES = 65_000;

    /** What a packet may be filled up by: the kernel copies so much in less time than it takes for another train. */
    static final int MOST_FILL = 256;

    /** Or a packet of a train by that part of its length, if that is more. */
    private static final int MOST_FILL_PART = 8;

    /** Packets that carry as much of one message differ by no more: a RETH, an AETH, immediate data, some words. */
    private static final int MOST_HEADER = 32;

    /** Room for the control messages of a route, and the one that says the packets' length. */
    private static final int CONTROL_STRIDE = IpControl.BYTES + SocketLayout.CMSG_SPACE;

    private static final int NOBODY = 0;

    private final int capacity;
    private final int leadBytes;
    private final int packetBytes;
    private final long headers;
    private final long vectors;
    private final long controls;
    private final long memory;
    private final long memoryEnd;
    /** Where a message begins. */
    private final long[] bases;
    /** Length of a message. */
    private final int[] bytes;
    /** Length of all packets of a message but the last. */
    private final int[] segments;
    /** Length of the control messages that the route of a message has. */
    private final int[] controlBytes;

    private int messages;
    private long end;
    /** Behind the last packet, as long as it is short of the others of its train and may be filled up; else 0. */
    private int gap;
    /** Where the last message goes, or NOBODY when nothing may be coupled to it. */
    private long destination = NOBODY;

    /**
     * Empty.
     *
     * @param capacity    messages at most
     * @param packetBytes length of the longest packet
     * @param leadBytes   room in front of each packet, for a header that is sent with it
     */
    OutgoingTrains(final Arena arena, final int capacity, final int packetBytes, final int leadBytes) {
        this.capacity = capacity;
        this.packetBytes = packetBytes;
        this.leadBytes = leadBytes;
        headers = arena.allocate((long) capacity * SocketLayout.MMSG_SIZE, 64).address();
        vectors = arena.allocate((long) capacity * SocketLayout.IOV_SIZE, 64).address();
        controls = arena.allocate((long) capacity * CONTROL_STRIDE, 64).address();
        final long lengthBytes = (long) capacity * (leadBytes + packetBytes);
        memory = arena.allocate(lengthBytes, 64).address();
        memoryEnd = memory + lengthBytes;
        end = memory;
        bases = new long[capacity];
        bytes = new int[capacity];
        segments = new int[capacity];
        controlBytes = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOV, vector(i));
            NativeMemory.putLong(header(i) + SocketLayout.MSG_IOVLEN, 1);
            NativeMemory.putLong(header(i) + SocketLayout.MSG_CONTROL, control(i));
        }
    }

    long header(final int message) {
        return headers + (long) message * SocketLayout.MMSG_SIZE;
    }

    private long vector(final int message) {
        return vectors + (long) message * SocketLayout.IOV_SIZE;
    }

    private long control(final int message) {
        return controls + (long) message * CONTROL_STRIDE;
    }

    int messages() {
        return messages;
    }

    /** True when it must be emptied before another packet. */
    boolean isFull() {
        return messages == capacity || memoryEnd - end < gap + leadBytes + packetBytes;
    }

    /** Where the next packet is to be, with room for the longest. */
    long place() {
        return end + gap + leadBytes;
    }

    /**
     * Adds the packet that lies at {@link #place()}, and what was written in front of it.
     *
     * @param route     where it goes ({@link RouteDescriptor}); the memory stays the same until it was sent
     * @param mayCouple true when the destination takes trains
     * @param longest   where it takes packets that are filled up, the longest that was ever to go there; else 0
     */
    void add(
            final int lengthBytes, final long route, final int addressBytes, final boolean mayCouple,
            final int longest) {
        assert longest == 0 || longest >= lengthBytes : longest + " < " + lengthBytes;
        assert !isFull() : "there is no room";
        end += gap;
        if (mayCouple && isCoupled(lengthBytes, route)) {
            couple(messages - 1, lengthBytes);
        } else {
            final int more = longest - lengthBytes;
            begin(messages, leadBytes + lengthBytes, route, addressBytes);
            segments[messages] += more <= MOST_HEADER && FillDescriptor.canAdd(more) ? more : 0;
            destination = mayCouple ? route : NOBODY;
            messages++;
        }
        end += leadBytes + lengthBytes;
        gap = longest > 0 ? shortBytes(messages - 1) : 0;
    }

    /** What the last packet of a message is short of the others, if it may be filled up by that. */
    private int shortBytes(final int message) {
        final int segment = segments[message];
        final int over = bytes[message] % segment;
        final int missing = segment - over;
        return over != 0 && FillDescriptor.canAdd(missing) && missing <= Math.max(MOST_FILL, segment / MOST_FILL_PART)
                ? missing
                : 0;
    }

    /** A train ends with its first packet that is shorter than the others and is not filled up. */
    private boolean isCoupled(final int lengthBytes, final long route) {
        if (destination != route) {
            return false;
        }
        final int last = messages - 1;
        final int segment = segments[last];
        final int trainBytes = bytes[last] + gap;
        return lengthBytes <= segment
                && trainBytes % segment == 0
                && trainBytes < MOST_PACKETS * segment
                && trainBytes + lengthBytes <= MOST_BYTES;
    }

    private void couple(final int message, final int lengthBytes) {
        if (bytes[message] <= segments[message]) {
            final int before = controlBytes[message];
            final long control = control(message) + before;
            NativeMemory.putLong(control + SocketLayout.CMSG_LEN, SocketLayout.CMSG_DATA + Short.BYTES);
            NativeMemory.putInt(control + SocketLayout.CMSG_LEVEL, LibC.SOL_UDP);
            NativeMemory.putInt(control + SocketLayout.CMSG_TYPE, LibC.UDP_SEGMENT);
            NativeMemory.putShort(control + SocketLayout.CMSG_DATA, (short) segments[message]);
            NativeMemory.putLong(header(message) + SocketLayout.MSG_CONTROLLEN, before + SocketLayout.CMSG_SPACE);
        }
        if (gap > 0) {
            final int last = bytes[message] % segments[message];
            FillDescriptor.add(bases[message] + bytes[message] - last, last, gap);
        }
        bytes[message] += gap + lengthBytes;
        NativeMemory.putLong(vector(message) + SocketLayout.IOV_LEN, bytes[message]);
    }

    private void begin(final int message, final int lengthBytes, final long route, final int addressBytes) {
        bases[message] = end;
        bytes[message] = lengthBytes;
        segments[message] = lengthBytes;
        controlBytes[message] = RouteDescriptor.controlBytes(route);
        if (controlBytes[message] > 0) {
            NativeMemory.copy(RouteDescriptor.control(route), control(message), controlBytes[message]);
        }
        final long header = header(message);
        NativeMemory.putLong(vector(message) + SocketLayout.IOV_BASE, end);
        NativeMemory.putLong(vector(message) + SocketLayout.IOV_LEN, lengthBytes);
        NativeMemory.putLong(header + SocketLayout.MSG_NAME, RouteDescriptor.sockaddr(route));
        NativeMemory.putInt(header + SocketLayout.MSG_NAMELEN, addressBytes);
        NativeMemory.putLong(header + SocketLayout.MSG_CONTROLLEN, controlBytes[message]);
    }

    /** Packets of a message. */
    int packetsOf(final int message) {
        return (bytes[message] + segments[message] - 1) / segments[message];
    }

    /** Makes a message that one packet of its train, for a kernel that refuses the train. */
    void uncouple(final int message, final int packet) {
        final int offset = packet * segments[message];
        assert offset < bytes[message] : "the train is shorter";
        NativeMemory.putLong(vector(message) + SocketLayout.IOV_BASE, bases[message] + offset);
        NativeMemory.putLong(
                vector(message) + SocketLayout.IOV_LEN, Math.min(segments[message], bytes[message] - offset));
        NativeMemory.putLong(header(message) + SocketLayout.MSG_CONTROLLEN, controlBytes[message]);
    }

    /** Forgets all. */
    void clear() {
        messages = 0;
        end = memory;
        gap = 0;
        destination = NOBODY;
    }
}
