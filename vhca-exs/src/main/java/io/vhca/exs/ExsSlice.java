package io.vhca.exs;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A part of what sendmsg sends or recvmsg receives into ({@code struct iovec}): of registered memory, or memory that is
 * not registered, which is slower. One call may have both.
 *
 * @param memory       registered; null where {@code unregistered} is not
 * @param unregistered native; all of it
 * @param offset       bytes into {@code memory}
 */
public record ExsSlice(
        @Nullable ExsMemory memory, @Nullable MemorySegment unregistered, long offset, long lengthBytes) {
    public ExsSlice {
        if ((memory == null) == (unregistered == null)) {
            throw new IllegalArgumentException("a slice is of registered memory, or of memory that is not");
        }
    }

    /** A part of registered memory. */
    public ExsSlice(final ExsMemory memory, final long offset, final long lengthBytes) {
        this(memory, null, offset, lengthBytes);
    }

    /** All of it. */
    public static ExsSlice of(final ExsMemory memory) {
        return new ExsSlice(memory, 0, memory.lengthBytes());
    }

    /** Memory that is not registered; as {@link ExsSocket#send(MemorySegment, int, ExsQueue, Object)} has it. */
    public static ExsSlice of(final MemorySegment memory) {
        return new ExsSlice(null, memory, 0, memory.byteSize());
    }
}
