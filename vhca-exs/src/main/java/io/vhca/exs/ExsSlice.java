package io.vhca.exs;

/** A part of registered memory, for sendmsg and recvmsg ({@code struct iovec}). */
public record ExsSlice(ExsMemory memory, long offset, long lengthBytes) {
    /** All of it. */
    public static ExsSlice of(final ExsMemory memory) {
        return new ExsSlice(memory, 0, memory.lengthBytes());
    }
}
