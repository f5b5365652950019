package io.vhca.api;

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
            return text.reinterpret(Long.MAX_VALUE).getString(0, ENCODING);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }
}
