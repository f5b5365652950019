package io.vhca.disni;

import io.vhca.api.CLibrary;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Which of the first 64 processors the calling thread may run on, a bit each (sched_setaffinity(2)). A platform thread
 * calls it: what a virtual thread sets is its carrier's. Stateless.
 */
public final class ThreadAffinity {
    private static final int BYTES = 128;
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
    private static final MethodHandle SET = function("sched_setaffinity");
    private static final MethodHandle GET = function("sched_getaffinity");

    private ThreadAffinity() {}

    private static MethodHandle function(final String name) {
        return Linker.nativeLinker().downcallHandle(CLibrary.function(name), SHAPE);
    }

    /** False where no processor of the mask is this process's: then the thread runs where it ran before. */
    public static boolean set(final long mask) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            set.set(ValueLayout.JAVA_LONG, 0, mask);
            return call(SET, set) >= 0;
        }
    }

    /**
     * @throws VerbsException EINVAL where the kernel knows more processors than are asked for
     */
    public static long get() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            if (call(GET, set) < 0) {
                throw new VerbsException(
                        "getAffinity", Errno.EINVAL, "the calling thread",
                        "the kernel knows more than " + BYTES * 8 + " processors");
            }
            return set.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static int call(final MethodHandle function, final MemorySegment set) {
        try {
            return (int) function.invokeExact(0, (long) BYTES, set);
        } catch (final Throwable e) {
            throw new IllegalStateException("a call of libc cannot fail to be made", e);
        }
    }
}
