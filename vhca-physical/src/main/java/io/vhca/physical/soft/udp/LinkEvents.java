package io.vhca.physical.soft.udp;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.physical.ffm.Posix;
import java.lang.foreign.Arena;

/**
 * Hears from the kernel that an interface or an address of this host has changed, by rtnetlink(7); which one and how,
 * who asks looks up. Where the kernel tells nobody, as in some sandboxes, it hears nothing and says so. Owns a
 * descriptor. One thread at a time.
 */
final class LinkEvents implements AutoCloseable {
    private static final int GROUPS = LibC.RTMGRP_LINK | LibC.RTMGRP_IPV4_IFADDR | LibC.RTMGRP_IPV6_IFADDR;
    /** What is said is not read: each message is received to its first bytes. */
    private static final int BUFFER_BYTES = 16;
    /** More than that are the next call's. */
    private static final int MOST_MESSAGES = 64;

    private final long buffer;
    private int fd;

    LinkEvents(final Arena arena) {
        buffer = arena.allocate(BUFFER_BYTES, Long.BYTES).address();
        fd = LibC.socket(
                LibC.AF_NETLINK, LibC.SOCK_RAW | LibC.SOCK_NONBLOCK | LibC.SOCK_CLOEXEC, LibC.NETLINK_ROUTE);
        if (fd < 0) {
            fd = -1;
            return;
        }
        final long sockaddr = arena.allocate(SocketLayout.SNL_SIZE, Long.BYTES).address();
        NativeMemory.putShort(sockaddr + SocketLayout.SA_FAMILY, (short) LibC.AF_NETLINK);
        NativeMemory.putInt(sockaddr + SocketLayout.SNL_GROUPS, GROUPS);
        if (LibC.bind(fd, sockaddr, SocketLayout.SNL_SIZE) < 0) {
            close();
        }
    }

    /** What poll(2) finds readable when something has changed; -1 where the kernel tells nobody. */
    int fd() {
        return fd;
    }

    /** Whether something may have changed since this was asked last: always, where the kernel tells nobody. */
    boolean take() {
        if (fd < 0) {
            return true;
        }
        boolean isAny = false;
        for (int i = 0; i < MOST_MESSAGES; i++) {
            final int result = LibC.recv(fd, buffer, BUFFER_BYTES);
            if (result < 0 && result != -Errno.ENOBUFS) { // which says that some were lost
                break;
            }
            isAny = true;
        }
        return isAny;
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (fd >= 0) {
            Posix.close(fd);
            fd = -1;
        }
    }
}
