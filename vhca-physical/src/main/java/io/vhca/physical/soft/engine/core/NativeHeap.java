package io.vhca.physical.soft.engine.core;

import io.vhca.api.CLibrary;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The C heap (calloc(3), free(3)). A ring lives as long as its queue pair, and an arena for each ring would cost more
 * than the ring itself. Any thread.
 */
public final class NativeHeap {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle CALLOC = LINKER.downcallHandle(
            CLibrary.function("calloc"),
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE = LINKER.downcallHandle(
            CLibrary.function("free"), FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

    private NativeHeap() {}

    /** Zeroed memory, 16-byte aligned; the caller frees it. */
    public static long allocate(final long lengthBytes) {
        final long address;
        try {
            address = (long) CALLOC.invokeExact(1L, Math.max(1L, lengthBytes));
        } catch (final Throwable e) {
            throw new AssertionError("calloc cannot throw", e);
        }
        if (address == 0) {
            throw new VerbsException("allocate", Errno.ENOMEM, "native heap", "no " + lengthBytes + " bytes left");
        }
        return address;
    }

    /** Frees what {@link #allocate} gave. */
    public static void free(final long address) {
        try {
            FREE.invokeExact(address);
        } catch (final Throwable e) {
            throw new AssertionError("free cannot throw", e);
        }
    }
}
