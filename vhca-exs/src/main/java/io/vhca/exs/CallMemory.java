package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.Call;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The memory that calls of a socket are given: whether it fits them, and how it becomes theirs. The driver's lock. */
final class CallMemory {
    private final Driver driver;
    private final ExsSocket socket;

    CallMemory(final Driver driver, final ExsSocket socket) {
        this.driver = driver;
        this.socket = socket;
    }

    /** Throws EINVAL where a call cannot have that part of it. */
    void check(
            final String call, final ExsMemory memory, final long offset, final long length, final boolean isWritten) {
        memory.check(call, socket, offset, length, isWritten);
        if (memory.driver() != driver) {
            throw new VerbsException(
                    call, Errno.EINVAL, socket.toString(), "the memory is of another Exs; register it here");
        }
    }

    /** The same for several parts. */
    void check(final String call, final ExsSlice[] slices, final boolean isWritten) {
        if (slices.length > Call.MAX_SEGMENTS) {
            throw new VerbsException(
                    call, Errno.EINVAL, socket.toString(), slices.length + " slices; at most " + Call.MAX_SEGMENTS);
        }
        for (final ExsSlice slice : slices) {
            check(call, slice.memory(), slice.offset(), slice.lengthBytes(), isWritten);
        }
    }

    static void add(final Call call, final ExsSlice[] slices) {
        for (final ExsSlice slice : slices) {
            add(call, slice.memory(), slice.offset(), slice.lengthBytes());
        }
    }

    /** It is in use until the call is over. */
    static void add(final Call call, final ExsMemory memory, final long offset, final long length) {
        memory.use();
        call.add(memory.address() + offset, length, memory.lkey(), memory.rkey(), memory);
    }

    /** All of it; without a registration no device touches it. */
    static Call add(final Call call, final MemorySegment memory, final @Nullable ExsMemory registered) {
        if (registered == null) {
            return call.addUnregistered(memory.address(), memory.byteSize(), memory);
        }
        add(call, registered, 0, memory.byteSize());
        return call;
    }
}
