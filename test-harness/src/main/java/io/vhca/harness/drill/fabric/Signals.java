package io.vhca.harness.drill.fabric;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Stops a process and lets it go on, by kill(2), called through FFM. Any thread. */
final class Signals {
    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;
    private static final MethodHandle KILL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Signals() {}

    /** False when there is no such process any more. */
    static boolean stop(final long pid) {
        return kill(pid, SIGSTOP);
    }

    /** The same. */
    static boolean goOn(final long pid) {
        return kill(pid, SIGCONT);
    }

    private static boolean kill(final long pid, final int signal) {
        assert pid > 1 : "a signal to " + pid + " would reach others";
        try {
            return (int) KILL.invokeExact((int) pid, signal) == 0;
        } catch (final Throwable e) {
            throw new IllegalStateException("kill(" + pid + ", " + signal + ") could not be called", e);
        }
    }
}
