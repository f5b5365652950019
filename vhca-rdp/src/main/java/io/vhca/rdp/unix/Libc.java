package io.vhca.rdp.unix;

import io.vhca.api.CLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/** The calls of the C library that this package needs. Each answers what the C function does, or throws. Any thread. */
final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_VALUE =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong SIZE = ValueLayout.JAVA_LONG;

    private static final MethodHandle MEMFD_CREATE =
            handle("memfd_create", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT), ERRNO);
    private static final MethodHandle FCNTL =
            handle("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), ERRNO, Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT), ERRNO);
    private static final MethodHandle GETSOCKOPT = handle(
            "getsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS), ERRNO);
    private static final MethodHandle SENDMSG =
            handle("sendmsg", FunctionDescriptor.of(SIZE, INT, ValueLayout.ADDRESS, INT), ERRNO);
    private static final MethodHandle RECVMSG =
            handle("recvmsg", FunctionDescriptor.of(SIZE, INT, ValueLayout.ADDRESS, INT), ERRNO);

    private Libc() {}

    /** Nothing but what the first use of this class does. */
    static void prepare() {
        assert GETSOCKOPT != null;
    }

    private static MethodHandle handle(
            final String name, final FunctionDescriptor descriptor, final Linker.Option... options) {
        return LINKER.downcallHandle(CLibrary.function(name), descriptor, options);
    }

    private static MemorySegment state(final Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    private static long checked(final String name, final long result, final MemorySegment state) throws IOException {
        if (result < 0) {
            throw new IOException(name + " failed with errno " + (int) ERRNO_VALUE.get(state, 0L));
        }
        return result;
    }

    private static AssertionError impossible(final Throwable e) {
        return new AssertionError("a downcall does not throw", e);
    }

    static int memfdCreate(final String name, final int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            final MemorySegment text = arena.allocateFrom(name, StandardCharsets.UTF_8);
            return (int) checked("memfd_create", (int) MEMFD_CREATE.invokeExact(state, text, flags), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }

    static int fcntl(final int descriptor, final int command, final int argument) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            return (int) checked("fcntl", (int) FCNTL.invokeExact(state, descriptor, command, argument), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }

    static void close(final int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            checked("close", (int) CLOSE.invokeExact(state, descriptor), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }

    /** Fills the value; its size must be the option's. */
    static void getsockopt(final int descriptor, final int level, final int option, final MemorySegment value)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            final MemorySegment size = arena.allocateFrom(INT, (int) value.byteSize());
            checked("getsockopt", (int) GETSOCKOPT.invokeExact(state, descriptor, level, option, value, size), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }

    static long sendmsg(final int descriptor, final MemorySegment header, final int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            return checked("sendmsg", (long) SENDMSG.invokeExact(state, descriptor, header, flags), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }

    static long recvmsg(final int descriptor, final MemorySegment header, final int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = state(arena);
            return checked("recvmsg", (long) RECVMSG.invokeExact(state, descriptor, header, flags), state);
        } catch (final IOException e) {
            throw e;
        } catch (final Throwable e) {
            throw impossible(e);
        }
    }
}
