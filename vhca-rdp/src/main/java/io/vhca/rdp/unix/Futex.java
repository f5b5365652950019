package io.vhca.rdp.unix;

import io.vhca.api.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets a thread sleep until another process wakes it, by a word of memory that both have: {@code futex(2)}. Nothing is
 * kept, nothing is allocated. Any thread.
 *
 * <p>Missing on other systems than Linux, on processors whose number of the call is not known here, and where a filter
 * of system calls forbids it.
 */
public final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    /** The number of the system call, by what Java calls the processor. */
    private static final Map<String, Long> NUMBERS = Map.of("amd64", 202L, "x86_64", 202L, "aarch64", 98L);

    private static final long NUMBER = numberOf(System.getProperty("os.name"), System.getProperty("os.arch"));
    private static final @Nullable MethodHandle SYSCALL = NUMBER < 0 ? null : syscall();

    /** How long a wait may last: the n-th is 2^n ns. */
    private static final int TIMES = 41;

    private static final long TIMESPEC_BYTES = 2 * Long.BYTES;
    private static final MemorySegment TIMESPECS = timespecs();

    /** Whether there is such a call, and this process may use it. */
    public static final boolean IS_AVAILABLE = SYSCALL != null && isAllowed();

    private Futex() {}

    /** The number of the system call on such a machine; -1 where it is not known. */
    static long numberOf(final String system, final String processor) {
        return "Linux".equals(system) ? NUMBERS.getOrDefault(processor, -1L) : -1;
    }

    private static boolean isAllowed() {
        try (Arena arena = Arena.ofConfined()) {
            return call(arena.allocate(ValueLayout.JAVA_INT).address(), WAKE, 1, 0) == 0;
        }
    }

    private static MemorySegment timespecs() {
        final MemorySegment all = Arena.global().allocate(TIMES * TIMESPEC_BYTES, Long.BYTES);
        for (int i = 0; i < TIMES; i++) {
            all.setAtIndex(ValueLayout.JAVA_LONG, 2L * i, (1L << i) / TimeUnit.SECONDS.toNanos(1));
            all.setAtIndex(ValueLayout.JAVA_LONG, 2L * i + 1, (1L << i) % TimeUnit.SECONDS.toNanos(1));
        }
        return all;
    }

    /**
     * Sleeps while the word has that value, until it is woken, for {@code mostNs} at most, and at least for half of
     * that where nothing ends it before. Who returns looks again: it may be woken for nothing.
     */
    public static void await(final long wordAddress, final int value, final long mostNs) {
        if (mostNs > 0) {
            final int time = Math.min(TIMES - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(mostNs));
            call(wordAddress, WAIT, value, TIMESPECS.address() + time * TIMESPEC_BYTES);
        }
    }

    /**
     * Wakes all that sleep at that word, in any process.
     *
     * @return how many that were; -1 where there is no such memory
     */
    public static int wakeAll(final long wordAddress) {
        return (int) call(wordAddress, WAKE, Integer.MAX_VALUE, 0);
    }

    private static @Nullable MethodHandle syscall() {
        final Linker linker = Linker.nativeLinker();
        final FunctionDescriptor descriptor = FunctionDescriptor.of(
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        return CLibrary.find("syscall")
                .map(address -> linker.downcallHandle(address, descriptor, Linker.Option.firstVariadicArg(1)))
                .orElse(null);
    }

    private static long call(final long word, final long operation, final long value, final long timespec) {
        final MethodHandle syscall = SYSCALL;
        if (syscall == null) {
            throw new IllegalStateException("futex is not available on this machine");
        }
        try {
            return (long) syscall.invokeExact(NUMBER, word, operation, value, timespec, 0L, 0L);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }
}
