package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A C function for control calls and for waiting: every argument a long (pointers as addresses, integers narrowed),
 * errno captured. Any thread; a call may allocate, so nothing of the data path comes through here. A record, for the
 * compiler takes what a record holds for constant: a call from a static final one is a call of the C function, and not
 * of a handle that it does not know.
 *
 * @param handle takes where errno is captured, and the arguments as an array
 */
public record CFunction(MethodHandle handle) {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    /** Where errno is captured; a thread reads what it captured itself, right after its call. */
    private static final ThreadLocal<MemorySegment> CAPTURE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    /** The function at an address; {@code descriptor} may name pointers as addresses. */
    public static CFunction of(
            final MemorySegment address, final FunctionDescriptor descriptor, final Linker.Option... options) {
        final List<Linker.Option> all = new ArrayList<>(Arrays.asList(options));
        all.add(Linker.Option.captureCallState("errno"));
        final MethodHandle raw =
                LINKER.downcallHandle(address, withNumbers(descriptor), all.toArray(Linker.Option[]::new));
        final int count = descriptor.argumentLayouts().size();
        final MethodType longs = MethodType.methodType(long.class, MemorySegment.class)
                .appendParameterTypes(java.util.Collections.nCopies(count, long.class));
        return new CFunction(
                MethodHandles.explicitCastArguments(raw, longs).asSpreader(1, long[].class, count));
    }

    /** A function of the C library. */
    public static CFunction ofLibc(
            final String name, final FunctionDescriptor descriptor, final Linker.Option... options) {
        return of(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }

    /** The same descriptor with pointers as numbers. */
    public static FunctionDescriptor withNumbers(final FunctionDescriptor descriptor) {
        final MemoryLayout[] arguments = descriptor.argumentLayouts().stream()
                .map(CFunction::number)
                .toArray(MemoryLayout[]::new);
        return descriptor
                .returnLayout()
                .map(result -> FunctionDescriptor.of(number(result), arguments))
                .orElseGet(() -> FunctionDescriptor.ofVoid(arguments));
    }

    private static MemoryLayout number(final MemoryLayout layout) {
        return layout instanceof AddressLayout ? ValueLayout.JAVA_LONG : layout;
    }

    private long call(final MemorySegment capture, final long[] arguments) {
        capture.set(ValueLayout.JAVA_INT, ERRNO_OFFSET, 0);
        try {
            return (long) handle.invokeExact(capture, arguments);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }

    private static int negatedErrno(final MemorySegment capture) {
        final int errno = capture.get(ValueLayout.JAVA_INT, ERRNO_OFFSET);
        return errno == 0 ? -Errno.EIO : -errno;
    }

    /** A call that answers a pointer: the address, or the negated errno for NULL. */
    public long pointer(final long... arguments) {
        final MemorySegment capture = CAPTURE.get();
        final long result = call(capture, arguments);
        return result != 0 ? result : negatedErrno(capture);
    }

    /**
     * A call that answers 0 for success: 0, or the negated errno, whether the function gives it as its result
     * (libibverbs) or as -1 and errno (librdmacm, the C library).
     */
    public int status(final long... arguments) {
        final MemorySegment capture = CAPTURE.get();
        final int result = (int) call(capture, arguments);
        return result > 0 ? -result : result == 0 ? 0 : negatedErrno(capture);
    }

    /** A call that answers a count or a descriptor: that, or the negated errno for what is below 0. */
    public int count(final long... arguments) {
        final MemorySegment capture = CAPTURE.get();
        final int result = (int) call(capture, arguments);
        return result >= 0 ? result : negatedErrno(capture);
    }

    /** A call whose result says nothing of success. */
    public long value(final long... arguments) {
        return call(CAPTURE.get(), arguments);
    }
}
