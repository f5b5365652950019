package io.vhca.rdp.nio;

import java.util.Arrays;
import java.util.List;

/** Where threads are, for tests that wait until one of them waits. */
final class Stacks {
    private Stacks() {}

    /** True while a method of one of these names is on the thread's stack. */
    static boolean isIn(final Thread thread, final String... methods) {
        return Arrays.stream(thread.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .anyMatch(List.of(methods)::contains);
    }
}
