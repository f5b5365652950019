package io.vhca.physical.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** The calls of the C library that waiting for file descriptors needs. Any thread. */
public final class Posix {
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int EFD_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final CFunction POLL = CFunction.ofLibc("poll", 3);
    private static final CFunction EVENTFD = CFunction.ofLibc("eventfd", 2);
    private static final CFunction READ = CFunction.ofLibc("read", 3);
    private static final CFunction WRITE = CFunction.ofLibc("write", 3);
    private static final CFunction CLOSE = CFunction.ofLibc("close", 1);
    private static final CFunction FCNTL = CFunction.ofLibc("fcntl", 3, Linker.Option.firstVariadicArg(2));
    /** What a signal writes: the number 1. */
    private static final long ONE =
            Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1).address();
    /** Where what is drained goes; nobody looks at it. */
    private static final long DRAINED =
            Arena.global().allocate(ValueLayout.JAVA_LONG).address();

    private Posix() {}

    /** poll(2): how many descriptors are ready, or a negated errno. */
    public static int poll(final long pollfds, final int count, final int timeoutMs) {
        return POLL.count(pollfds, count, timeoutMs);
    }

    /** A descriptor that can be read once {@link #signal} was called; or a negated errno. */
    public static int eventFd() {
        return EVENTFD.count(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }

    public static void signal(final int eventFd) {
        WRITE.value(eventFd, ONE, Long.BYTES);
    }

    /** Makes an event descriptor unreadable again. */
    public static void drain(final int eventFd) {
        READ.value(eventFd, DRAINED, Long.BYTES);
    }

    /** Reading from it never waits from now on; 0 or a negated errno. */
    public static int setNonBlocking(final int fd) {
        final int flags = FCNTL.count(fd, F_GETFL, 0);
        return flags < 0 ? flags : FCNTL.status(fd, F_SETFL, flags | O_NONBLOCK);
    }

    public static void close(final int fd) {
        CLOSE.value(fd);
    }
}
