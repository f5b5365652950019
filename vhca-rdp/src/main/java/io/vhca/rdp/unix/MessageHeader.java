package io.vhca.rdp.unix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A message of a Unix domain socket with room for one file descriptor beside it, as sendmsg(2) and recvmsg(2) take it
 * on 64-bit Linux.
 *
 * <pre>
 *   0       8         16       24          32        40             48          56
 *  +-------+---------+--------+-----------+---------+--------------+-----------+
 *  | name  | length  | parts  | how many  | control | its length   | flags     |   struct msghdr
 *  +-------+---------+--------+-----------+---------+--------------+-----------+
 *   0               8              12        16             20
 *  +---------------+--------------+---------+--------------+
 *  | length, 20    | SOL_SOCKET   | rights  | descriptor   |                      struct cmsghdr
 *  +---------------+--------------+---------+--------------+
 * </pre>
 */
final class MessageHeader {
    private static final int SIZE = 56;
    private static final int PARTS_OFFSET = 16;
    private static final int PART_COUNT_OFFSET = 24;
    private static final int CONTROL_OFFSET = 32;
    private static final int CONTROL_SIZE_OFFSET = 40;
    private static final int FLAGS_OFFSET = 48;

    /** Without the padding behind one descriptor, into which the kernel would put a second one. */
    private static final int CONTROL_LENGTH = 20;
    private static final int LEVEL_OFFSET = 8;
    private static final int TYPE_OFFSET = 12;
    private static final int DESCRIPTOR_OFFSET = 16;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 8;

    private final MemorySegment header;
    private final MemorySegment control;

    MessageHeader(final Arena arena, final MemorySegment message) {
        header = arena.allocate(SIZE, Long.BYTES);
        control = arena.allocate(CONTROL_LENGTH, Long.BYTES);
        final MemorySegment part = arena.allocate(2 * Long.BYTES, Long.BYTES);
        part.set(ValueLayout.ADDRESS, 0, message);
        part.set(ValueLayout.JAVA_LONG, Long.BYTES, message.byteSize());
        header.set(ValueLayout.ADDRESS, PARTS_OFFSET, part);
        header.set(ValueLayout.JAVA_LONG, PART_COUNT_OFFSET, 1);
        header.set(ValueLayout.ADDRESS, CONTROL_OFFSET, control);
        header.set(ValueLayout.JAVA_LONG, CONTROL_SIZE_OFFSET, CONTROL_LENGTH);
    }

    MemorySegment segment() {
        return header;
    }

    void descriptor(final int sent) {
        control.set(ValueLayout.JAVA_LONG, 0, CONTROL_LENGTH);
        control.set(ValueLayout.JAVA_INT, LEVEL_OFFSET, SOL_SOCKET);
        control.set(ValueLayout.JAVA_INT, TYPE_OFFSET, SCM_RIGHTS);
        control.set(ValueLayout.JAVA_INT, DESCRIPTOR_OFFSET, sent);
    }

    /** The descriptor that was received, -1 for none. */
    int descriptor() {
        final boolean isThere = header.get(ValueLayout.JAVA_LONG, CONTROL_SIZE_OFFSET) >= CONTROL_LENGTH
                && control.get(ValueLayout.JAVA_LONG, 0) == CONTROL_LENGTH
                && control.get(ValueLayout.JAVA_INT, LEVEL_OFFSET) == SOL_SOCKET
                && control.get(ValueLayout.JAVA_INT, TYPE_OFFSET) == SCM_RIGHTS;
        return isThere ? control.get(ValueLayout.JAVA_INT, DESCRIPTOR_OFFSET) : -1;
    }

    /** More descriptors came than one, or one that cannot be had; the kernel has closed all others. */
    boolean isCut() {
        return (header.get(ValueLayout.JAVA_INT, FLAGS_OFFSET) & MSG_CTRUNC) != 0;
    }
}
