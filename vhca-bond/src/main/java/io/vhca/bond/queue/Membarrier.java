package io.vhca.bond.queue;

import io.vhca.api.CLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes every thread of this process pass a full memory barrier: {@code membarrier(2)} with {@code PRIVATE_EXPEDITED}.
 *
 * <p>A thread that runs is interrupted for it; one that does not run passed a barrier when it lost its core and passes
 * another before it goes on. So a pair of accesses that each side of two would else have to fence can be fenced by one
 * of them alone: what the others pay is nothing, what the caller pays is a system call of some microseconds.
 *
 * <p>Missing on other systems than Linux, on processors whose number of the call is not known here, on kernels before
 * 4.14 and where a seccomp filter forbids it. {@value #PROPERTY}{@code =off} does without it as well.
 */
final class Membarrier {
    /** A system property: {@code off} for a process that will forbid itself the call later on. */
    static final String PROPERTY = "vhca.membarrier";

    private static final int CMD_QUERY = 0;
    private static final int CMD_PRIVATE_EXPEDITED = 1 << 3;
    private static final int CMD_REGISTER_PRIVATE_EXPEDITED = 1 << 4;
    /** The number of the system call, by what Java calls the processor. */
    private static final Map<String, Long> NUMBERS = Map.of("amd64", 324L, "x86_64", 324L, "aarch64", 283L);

    private static final long NUMBER = numberOf(System.getProperty("os.name"), System.getProperty("os.arch"));
    private static final @Nullable MethodHandle SYSCALL = NUMBER < 0 ? null : syscall();

    /** Whether there is such a call, and this process may use it. */
    static final boolean IS_AVAILABLE = isRegistered(System.getProperty(PROPERTY, "on"));

    private Membarrier() {}

    /** The number of the system call on such a machine; -1 where it is not known. */
    static long numberOf(final String system, final String processor) {
        return "Linux".equals(system) ? NUMBERS.getOrDefault(processor, -1L) : -1;
    }

    /** Whether this process can use the call from now on, unless it is not to. */
    static boolean isRegistered(final String setting) {
        if ("off".equals(setting) || SYSCALL == null) {
            return false;
        }
        final int needed = CMD_PRIVATE_EXPEDITED | CMD_REGISTER_PRIVATE_EXPEDITED;
        final long known = call(CMD_QUERY);
        return known >= 0 && (known & needed) == needed && call(CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    }

    /**
     * Returns when every other thread of this process has passed a full memory barrier, and so has the caller: what it
     * wrote before is seen by what they do after theirs, what they wrote before theirs is seen by what it does next.
     */
    static void passedByAll() {
        if (call(CMD_PRIVATE_EXPEDITED) != 0) {
            throw new IllegalStateException("membarrier: the kernel no longer allows PRIVATE_EXPEDITED, which it had"
                    + " registered; start the JVM with -D" + PROPERTY + "=off where a filter of system calls forbids it"
                    + " later on");
        }
    }

    private static @Nullable MethodHandle syscall() {
        final Linker linker = Linker.nativeLinker();
        final FunctionDescriptor descriptor = FunctionDescriptor.of(
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG);
        return CLibrary.find("syscall")
                .map(address -> linker.downcallHandle(address, descriptor, Linker.Option.firstVariadicArg(1)))
                .orElse(null);
    }

    private static long call(final long command) {
        final MethodHandle syscall = SYSCALL;
        if (syscall == null) {
            throw new IllegalStateException("membarrier is not available on this machine");
        }
        try {
            return (long) syscall.invokeExact(NUMBER, command, 0L, 0L);
        } catch (final Throwable e) {
            throw new AssertionError("a downcall does not throw", e);
        }
    }
}
