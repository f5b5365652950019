package io.vhca.api;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;

/**
 * What the C library says of an errno, in the language of the host. It is the reason of a failure that the JDK's file
 * system has no exception for, and all that tells one from another. For providers. Any thread.
 */
public final class HostText {
    private static final MethodHandle STRERROR = Linker.nativeLinker().downcallHandle(
            CLibrary.function("strerror"), FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    /** As the JDK reads it. */
    private static final Charset ENCODING =
            Charset.forName(System.getProperty("sun.jnu.encoding"), Charset.defaultCharset());

    private HostText() {}

    /** The text of an errno, which is positive. */
    public static String of(final int errno) {
        try {
            final MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return decoded(text.reinterpret(Long.MAX_VALUE), ENCODING);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }

    /** A string of C. {@link MemorySegment#getString(long, Charset)} knows the standard encodings only. */
    static String decoded(final MemorySegment text, final Charset encoding) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long at = 0; text.get(ValueLayout.JAVA_BYTE, at) != 0; at++) {
            bytes.write(text.get(ValueLayout.JAVA_BYTE, at));
        }
        return bytes.toString(encoding);
    }
}
