package io.vhca.physical.ffm;

import io.vhca.api.CLibrary;
import io.vhca.api.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A C function for control calls and for waiting: every argument a long (pointers as addresses, integers widened),
 * errno captured. Any thread; a call may allocate, so nothing of the data path comes through here. A record, for the
 * compiler takes what a record holds for constant: a call from a static final one is a call of the C function, and not
 * of a handle that it does not know.
 *
 * <p>All functions of so many arguments have one shape. Java makes classes for each shape, 10 ms of them where they are
 * not compiled yet, and a program that opens a device calls dozens of functions. On x86-64 and AArch64 nobody reads the
 * upper part of a register that holds a shorter integer; other ABIs of 64 bits want it extended, which Java's widening
 * of an int has done.
 *
 * @param handle takes where errno is captured, and the arguments as an array
 */
public record CFunction(MethodHandle handle) {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    /** Where errno is captured; a thread reads what it captured itself, right after its call. */
    private static final ThreadLocal<MemorySegment> CAPTURE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    /**
     * The function at an address, of so many arguments, each an integer or a pointer.
     *
     * @param options as {@link Linker.Option#firstVariadicArg}
     */
    public static CFunction of(final MemorySegment address, final int arguments, final Linker.Option... options) {
        final Linker.Option[] all =
                Stream.concat(Arrays.stream(options), Stream.of(ERRNO)).toArray(Linker.Option[]::new);
        return new CFunction(
                LINKER.downcallHandle(address, shape(arguments), all).asSpreader(1, long[].class, arguments));
    }

    /** A function of the C library. */
    public static CFunction ofLibc(final String name, final int arguments, final Linker.Option... options) {
        return of(CLibrary.function(name), arguments, options);
    }

    /** What all C functions of so many arguments are called as, those that answer nothing too. */
    public static FunctionDescriptor shape(final int arguments) {
        final MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, ValueLayout.JAVA_LONG);
        return FunctionDescriptor.of(ValueLayout.JAVA_LONG, layouts);
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

    /**
     * A call whose result says nothing of success: 64 bits. Of a shorter one the upper part says nothing at all, nor
     * does any of it where the function answers nothing.
     */
    public long value(final long... arguments) {
        return call(CAPTURE.get(), arguments);
    }
}
