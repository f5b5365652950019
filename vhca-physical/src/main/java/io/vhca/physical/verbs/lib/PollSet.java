package io.vhca.physical.verbs.lib;

import io.vhca.api.NativeMemory;
import io.vhca.physical.ffm.Posix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Descriptors that are waited for together, by poll(2). Owns the array that the kernel reads. One thread at a time. */
final class PollSet {
    private static final short POLLIN = 1;
    /** {@code struct pollfd}: fd (int), events (short), revents (short). */
    private static final int POLLFD_SIZE = 8;

    private static final int POLLFD_EVENTS = 4;
    private static final int POLLFD_REVENTS = 6;

    private final MemorySegment pollfds;
    private final int size;

    PollSet(final List<Integer> fds) {
        size = fds.size();
        pollfds = Arena.ofAuto().allocate((long) size * POLLFD_SIZE, Integer.BYTES);
        for (int i = 0; i < size; i++) {
            NativeMemory.putInt(at(i), fds.get(i));
            NativeMemory.putShort(at(i) + POLLFD_EVENTS, POLLIN);
        }
    }

    private long at(final int i) {
        return pollfds.address() + (long) i * POLLFD_SIZE;
    }

    /**
     * Waits until one of them can be read or is in error.
     *
     * @param timeoutMs -1 without end
     * @return how many are, or a negated errno
     */
    int await(final int timeoutMs) {
        final int count = Posix.poll(pollfds.address(), size, timeoutMs);
        if (count <= 0) {
            for (int i = 0; i < size; i++) {
                NativeMemory.putShort(at(i) + POLLFD_REVENTS, (short) 0);
            }
        }
        return count;
    }

    /** Whether the last wait ended for this one. */
    boolean isReady(final int i) {
        return NativeMemory.getShort(at(i) + POLLFD_REVENTS) != 0;
    }
}
