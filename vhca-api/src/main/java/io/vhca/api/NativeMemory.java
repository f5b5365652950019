package io.vhca.api;

import java.lang.foreign.MemorySegment;
import org.agrona.UnsafeApi;

/**
 * Reads and writes native memory at raw addresses, in the machine's own byte order, with no alignment demanded.
 *
 * <p>Work requests, SGEs and completions are C structs linked by raw pointers ({@code next}, {@code sg_list}); this is
 * the one door through which such pointers are followed. Single values go through Agrona's UnsafeApi: a post and a poll
 * through the bond read and write some fifty of them, and were 5 to 11 ns slower with a MemorySegment of all memory.
 * Nothing here checks that an address is mapped: the caller owns the memory and keeps it alive, a stale address crashes
 * the JVM. Any thread; no ordering is implied.
 */
public final class NativeMemory {
    static {
        // Who writes a work request before a device is opened is told of a missing flag here.
        JvmFlag.check();
    }

    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private NativeMemory() {}

    public static byte getByte(final long address) {
        return UnsafeApi.getByte(address);
    }

    public static void putByte(final long address, final byte value) {
        UnsafeApi.putByte(address, value);
    }

    public static short getShort(final long address) {
        return UnsafeApi.getShort(address);
    }

    public static void putShort(final long address, final short value) {
        UnsafeApi.putShort(address, value);
    }

    public static int getInt(final long address) {
        return UnsafeApi.getInt(address);
    }

    public static void putInt(final long address, final int value) {
        UnsafeApi.putInt(address, value);
    }

    public static long getLong(final long address) {
        return UnsafeApi.getLong(address);
    }

    public static void putLong(final long address, final long value) {
        UnsafeApi.putLong(address, value);
    }

    /** Copies {@code lengthBytes} bytes; the ranges may overlap ({@code memmove}). */
    public static void copy(final long fromAddress, final long toAddress, final long lengthBytes) {
        MemorySegment.copy(ALL, fromAddress, ALL, toAddress, lengthBytes);
    }

    /** Fills {@code lengthBytes} bytes with {@code value} ({@code memset}). */
    public static void fill(final long address, final long lengthBytes, final byte value) {
        ALL.asSlice(address, lengthBytes).fill(value);
    }

    /**
     * A view of native memory as a segment of the global scope: it does not keep the memory alive and is never closed.
     * Allocates; for the control path.
     */
    public static MemorySegment segment(final long address, final long lengthBytes) {
        return ALL.asSlice(address, lengthBytes);
    }

    /**
     * Throws EFAULT where the arena of the memory was closed: its address may be another's by now, and a device takes
     * any address.
     *
     * @param of whose call it is, as the error names it
     */
    public static void requireAlive(final String verb, final Object of, final MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new VerbsException(
                    verb, Errno.EFAULT, of.toString(), "the memory's arena was closed; give other memory");
        }
    }

    /**
     * Lets memory pass that a device can register with that access.
     *
     * @param of what registers it, as the error names it
     * @throws VerbsException EINVAL for heap memory, memory without bytes, or remote write or atomic access without
     *     local write; EFAULT where the memory's arena was closed, or it is read-only and the device may write
     */
    public static void requireRegistrable(final Object of, final MemorySegment memory, final int access) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new VerbsException(
                    "regMr", Errno.EINVAL, of.toString(), "only native memory of at least one byte can be registered");
        }
        requireAlive("regMr", of, memory);
        final boolean mayWrite = (access & AccessFlags.LOCAL_WRITE) != 0;
        if (!mayWrite && (access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0) {
            throw new VerbsException(
                    "regMr", Errno.EINVAL, of.toString(), "remote write and atomic access need local write");
        }
        if (mayWrite) {
            requireWritable("regMr", of, memory);
        }
    }

    /**
     * Throws EFAULT for read-only memory that a device is to write into: its pages may be protected, and the process
     * would end where a packet comes.
     *
     * @param of whose call it is, as the error names it
     */
    public static void requireWritable(final String verb, final Object of, final MemorySegment memory) {
        if (memory.isReadOnly()) {
            throw new VerbsException(
                    verb, Errno.EFAULT, of.toString(), "the memory is read-only; give other memory to be written into");
        }
    }

    /** Adds to an aligned value as one step, seen by every thread; what it was before. */
    public static long getAndAddLong(final long address, final long delta) {
        return UnsafeApi.getAndAddLong(null, address, delta);
    }

    /** Sets an aligned value if it is the expected one, as one step, seen by every thread; what it was before. */
    public static long compareAndExchangeLong(final long address, final long expected, final long value) {
        return UnsafeApi.compareAndExchangeLong(null, address, expected, value);
    }
}
