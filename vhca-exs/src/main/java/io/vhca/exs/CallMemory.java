package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.Call;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
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
            final ExsMemory memory = slice.memory();
            if (memory == null) {
                check(call, Objects.requireNonNull(slice.unregistered()), isWritten);
            } else {
                check(call, memory, slice.offset(), slice.lengthBytes(), isWritten);
            }
        }
    }

    /** The same for memory that is not registered. */
    void check(final String call, final MemorySegment memory, final boolean isWritten) {
        NativeMemory.requireAlive(call, socket, memory);
        if (isWritten && memory.isReadOnly()) {
            throw ExsMemory.readOnly(call, socket);
        }
    }

    /**
     * Adds all parts. What is not registered is, unless no device is to touch it.
     *
     * @param mostCopied of so many bytes in all it need not be
     */
    Call add(final String name, final Call call, final ExsSlice[] slices, final long mostCopied) {
        long bytes = 0;
        boolean isNative = true;
        for (final ExsSlice slice : slices) {
            final MemorySegment own = slice.unregistered();
            bytes += slice.lengthBytes();
            isNative &= own == null || own.isNative();
        }
        final boolean isCopied = isNative && bytes <= mostCopied;
        int count = 0;
        try {
            for (; count < slices.length; count++) {
                add(name, call, slices[count], isCopied);
            }
        } finally {
            if (count < slices.length) {
                forget(call);
            }
        }
        return call;
    }

    private void add(final String name, final Call call, final ExsSlice slice, final boolean isCopied) {
        final ExsMemory memory = slice.memory();
        final MemorySegment own = slice.unregistered();
        if (memory != null) {
            add(call, memory, slice.offset(), slice.lengthBytes());
        } else if (own != null && own.byteSize() > 0) {
            add(call, own, isCopied ? null : driver.cache().of(name, own));
        }
    }

    /** The call is not made after all. */
    private static void forget(final Call call) {
        for (int i = 0; i < call.segments(); i++) {
            if (call.release(i) instanceof final ExsMemory used) {
                used.unuse();
            }
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
