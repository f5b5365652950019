package io.vhca.api;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that was opened once, no symbolic link: what is asked and read by {@link #path} is that file, whatever stands
 * under its name meanwhile. It owns a descriptor. For providers. Any thread.
 */
public final class OpenedFile implements AutoCloseable {
    private static final int NONBLOCK = 04_000;
    private static final int CLOEXEC = 02_000_000;
    private static final boolean IS_ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int NOFOLLOW = IS_ARM ? 0100_000 : 0400_000;
    private static final int EACCES = 13;
    private static final int ELOOP = 40;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final VarHandle ERRNO_VALUE =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPEN = Linker.nativeLinker().downcallHandle(
            CLibrary.function("open"), FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT),
            Linker.Option.captureCallState("errno"), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE =
            Linker.nativeLinker().downcallHandle(CLibrary.function("close"), FunctionDescriptor.of(INT, INT));

    private final int descriptor;

    private OpenedFile(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Opens a file to be read.
     *
     * @throws NoSuchFileException   where there is none
     * @throws AccessDeniedException where this user may not read it
     * @throws IOException           where it cannot be opened, or is a symbolic link
     */
    public static OpenedFile open(final Path file) throws IOException {
        // Without NONBLOCK a pipe that stands there would be waited for.
        final int opened = open(PathBytes.of(file), NOFOLLOW | NONBLOCK | CLOEXEC);
        if (opened >= 0) {
            return new OpenedFile(opened);
        }
        throw switch (-opened) {
            case Errno.ENOENT -> new NoSuchFileException(file.toString());
            case EACCES -> new AccessDeniedException(file.toString(), null, "this user may not read it");
            case ELOOP -> new FileSystemException(
                    file.toString(), null, "it is a symbolic link; name the file that it leads to");
            default -> new FileSystemException(
                    file.toString(), null,
                    "it cannot be opened (" + Errno.name(opened) + ")" + Errno.descriptorHint(-opened));
        };
    }

    /** A descriptor, or an errno with a minus. */
    private static int open(final byte[] path, final int flags) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            // With a zero at its end.
            final MemorySegment text = arena.allocate(path.length + 1L);
            MemorySegment.copy(path, 0, text, ValueLayout.JAVA_BYTE, 0, path.length);
            final int opened = (int) OPEN.invokeExact(state, text, flags);
            return opened < 0 ? -(int) ERRNO_VALUE.get(state, 0L) : opened;
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }

    /** Leads to this file, not by its name. */
    public Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** Nothing was written: that it cannot be closed says nothing. */
    @Override
    public void close() {
        try {
            final int _ = (int) CLOSE.invokeExact(descriptor);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }
}
