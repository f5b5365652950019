package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Posts a chain and turns the C interface's answer, an errno and {@code bad_wr}, into how many were posted. Allocates
 * nothing once a thread has posted its first chain. Any thread.
 */
public final class WorkRequestPoster {
    /** Send and receive requests have {@code next} at the same place. */
    private static final int NEXT_OFFSET = SendWrDescriptor.NEXT_OFFSET;

    private static final int SEND = WrOpcode.SEND.code();
    private static final int SEND_WITH_IMM = WrOpcode.SEND_WITH_IMM.code();

    /** Where the first request refused of a chain goes; per thread, because several may post to one queue. */
    private static final ThreadLocal<MemorySegment> OF_THREAD =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(ValueLayout.JAVA_LONG));

    static {
        if (NEXT_OFFSET != RecvWrDescriptor.NEXT_OFFSET) {
            throw new ExceptionInInitializerError("ibv_send_wr.next and ibv_recv_wr.next differ");
        }
    }

    /** Where it goes for a single request, which is the refused one or none: never read. Kept alive by this object. */
    private final MemorySegment unread = Arena.ofAuto().allocate(64, 64);

    private final long unreadAddress = unread.address();

    /** How many were posted, or the negated errno of the first. */
    public int post(final MemorySegment function, final long queue, final long wrAddress) {
        if (NativeMemory.getLong(wrAddress + NEXT_OFFSET) == 0) {
            final int errno = DataPath.post(function, queue, wrAddress, unreadAddress);
            return errno == 0 ? 1 : negated(errno);
        }
        return postChain(function, queue, wrAddress);
    }

    private static int postChain(final MemorySegment function, final long queue, final long first) {
        final MemorySegment bad = OF_THREAD.get();
        bad.set(ValueLayout.JAVA_LONG, 0, 0);
        final int errno = DataPath.post(function, queue, first, bad.address());
        final long end = errno == 0 ? 0 : bad.get(ValueLayout.JAVA_LONG, 0);
        int count = 0;
        for (long wr = first; wr != end && wr != 0; wr = NativeMemory.getLong(wr + NEXT_OFFSET)) {
            count++;
        }
        return errno != 0 && (count == 0 || end == 0) ? negated(errno) : count;
    }

    /**
     * Posts datagrams. Looks at each first, because a provider may follow {@code ud.ah} of whatever it is given: what
     * is no SEND, or has no address handle, is refused here.
     */
    public int postDatagrams(final MemorySegment function, final long queue, final long first) {
        long previous = 0;
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + NEXT_OFFSET)) {
            final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
            final boolean isSend = opcode == SEND || opcode == SEND_WITH_IMM;
            if (!isSend || NativeMemory.getLong(wr + SendWrDescriptor.UD_AH_OFFSET) == 0) {
                if (previous == 0) {
                    return isSend ? -Errno.EINVAL : -Errno.EOPNOTSUPP;
                }
                NativeMemory.putLong(previous + NEXT_OFFSET, 0);
                final int posted = post(function, queue, first);
                NativeMemory.putLong(previous + NEXT_OFFSET, wr);
                return posted;
            }
            previous = wr;
        }
        return post(function, queue, first);
    }

    private static int negated(final int errno) {
        return errno > 0 ? -errno : errno == -1 ? -Errno.EINVAL : errno;
    }
}
