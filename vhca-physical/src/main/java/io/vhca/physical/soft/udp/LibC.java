package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import io.vhca.physical.rdmacore.sockaddr;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The handful of C library calls that a UDP carrier needs, called through FFM, with pointers as numbers. A method
 * answers what the C function answers, or the negated errno. Any thread.
 *
 * <p>What runs for every packet is blind: it does not ask for errno, since a call that does slices the segment errno is
 * captured in, and that slice is garbage wherever the compiler does not inline deep enough.
 */
final class LibC {
    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int AF_NETLINK = 16;
    static final int NETLINK_ROUTE = 0;
    static final int RTMGRP_LINK = 0x1;
    static final int RTMGRP_IPV4_IFADDR = 0x10;
    static final int RTMGRP_IPV6_IFADDR = 0x100;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;
    static final int SO_ATTACH_FILTER = 26;
    static final int SO_SNDBUFFORCE = 32;
    static final int SO_RCVBUFFORCE = 33;
    static final int IPPROTO_IP = 0;
    static final int IP_TOS = 1;
    static final int IP_TTL = 2;
    static final int IP_MTU_DISCOVER = 10;
    static final int IP_RECVTOS = 13;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_MTU_DISCOVER = 23;
    static final int IPV6_V6ONLY = 26;
    static final int IPV6_HOPLIMIT = 52;
    static final int IPV6_RECVTCLASS = 66;
    static final int IPV6_TCLASS = 67;
    static final int PMTUDISC_DO = 2;
    static final int IPPROTO_UDP = 17;
    static final int SOL_UDP = 17;
    static final int UDP_NO_CHECK6_RX = 102;
    /** Since Linux 4.18. */
    static final int UDP_SEGMENT = 103;
    /** Since Linux 5.0. */
    static final int UDP_GRO = 104;
    static final int MSG_DONTWAIT = 0x40;
    static final short POLLIN = 1;
    static final long SIOCGIFFLAGS = 0x8913;
    static final long SIOCGIFMTU = 0x8921;
    static final int IFF_UP = 0x1;
    static final int IFF_RUNNING = 0x40;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MethodHandle SOCKET = handle("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle BIND = handle("bind", FunctionDescriptor.of(INT, INT, LONG, INT));
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, LONG, INT));
    private static final MethodHandle SENDMMSG = handle("sendmmsg", FunctionDescriptor.of(INT, INT, LONG, INT, INT));
    private static final MethodHandle SENDMMSG_BLIND =
            withoutErrno("sendmmsg", FunctionDescriptor.of(INT, INT, LONG, INT, INT));
    private static final MethodHandle RECVMMSG_BLIND =
            withoutErrno("recvmmsg", FunctionDescriptor.of(INT, INT, LONG, INT, INT, LONG));
    private static final MethodHandle PPOLL_BLIND =
            withoutErrno("ppoll", FunctionDescriptor.of(INT, LONG, LONG, LONG, LONG));
    private static final MethodHandle IOCTL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("ioctl"),
            FunctionDescriptor.of(INT, INT, LONG, LONG),
            ERRNO,
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle RECV = handle("recv", FunctionDescriptor.of(LONG, INT, LONG, LONG, INT));
    private static final MethodHandle EVENTFD = handle("eventfd", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle READ = handle("read", FunctionDescriptor.of(LONG, INT, LONG, LONG));
    private static final MethodHandle WRITE = handle("write", FunctionDescriptor.of(LONG, INT, LONG, LONG));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT));
    /** Where errno is captured; a thread reads what it captured itself, right after its call. */
    private static final ThreadLocal<MemorySegment> CAPTURE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private LibC() {}

    private static MethodHandle handle(final String name, final FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, ERRNO);
    }

    private static MethodHandle withoutErrno(final String name, final FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }

    private static int result(final int result, final MemorySegment capture) {
        return result >= 0 ? result : -capture.get(INT, ERRNO_OFFSET);
    }

    private static AssertionError unexpected(final Throwable e) {
        return new AssertionError("a downcall does not throw", e);
    }

    static int socket(final int family, final int type) {
        return socket(family, type, 0);
    }

    static int socket(final int family, final int type, final int protocol) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) SOCKET.invokeExact(capture, family, type, protocol), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    static int bind(final int fd, final long sockaddr, final int lengthBytes) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) BIND.invokeExact(capture, fd, sockaddr, lengthBytes), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sets an int option. */
    static int setsockopt(final int fd, final int level, final int option, final int value) {
        try (Arena arena = Arena.ofConfined()) {
            return setsockopt(fd, level, option, arena.allocateFrom(INT, value).address(), Integer.BYTES);
        }
    }

    /** Sets an option whose value lies in native memory. */
    static int setsockopt(
            final int fd, final int level, final int option, final long address, final int lengthBytes) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) SETSOCKOPT.invokeExact(capture, fd, level, option, address, lengthBytes), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sends without waiting: how many, or the negated errno. Who sends much asks {@link #sendmmsgBlind} first. */
    static int sendmmsg(final int fd, final long messages, final int count) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) SENDMMSG.invokeExact(capture, fd, messages, count, MSG_DONTWAIT), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sends without waiting: how many, or -1, whatever the reason. */
    static int sendmmsgBlind(final int fd, final long messages, final int count) {
        try {
            return (int) SENDMMSG_BLIND.invokeExact(fd, messages, count, MSG_DONTWAIT);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Receives without waiting: how many, or -1, whatever the reason. */
    static int recvmmsgBlind(final int fd, final long messages, final int count) {
        try {
            return (int) RECVMMSG_BLIND.invokeExact(fd, messages, count, MSG_DONTWAIT, 0L);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Waits: how many descriptors are ready, or -1, whatever the reason. */
    static int ppollBlind(final long pollfds, final long count, final long timespec) {
        try {
            return (int) PPOLL_BLIND.invokeExact(pollfds, count, timespec, 0L);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** The int that an interface request answers: flags (16 bits) or MTU; or the negated errno. */
    static int interfaceValue(final int fd, final long request, final long ifreq) {
        final MemorySegment capture = CAPTURE.get();
        NativeMemory.putInt(ifreq + SocketLayout.IFR_VALUE, 0);
        try {
            final int result = result((int) IOCTL.invokeExact(capture, fd, request, ifreq), capture);
            return result < 0 ? result : NativeMemory.getInt(ifreq + SocketLayout.IFR_VALUE);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Receives without waiting, what does not fit is lost: how many bytes, or the negated errno. */
    static int recv(final int fd, final long buffer, final int lengthBytes) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result(
                    (int) (long) RECV.invokeExact(capture, fd, buffer, (long) lengthBytes, MSG_DONTWAIT), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** A descriptor that can be read once after 8 bytes were written, eventfd(2); or the negated errno. */
    static int eventFd() {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) EVENTFD.invokeExact(capture, 0, SOCK_NONBLOCK | SOCK_CLOEXEC), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reads a long: 8, or the negated errno. */
    static int readLong(final int fd, final long address) {
        return transfer(READ, fd, address);
    }

    /** Writes a long: 8, or the negated errno. */
    static int writeLong(final int fd, final long address) {
        return transfer(WRITE, fd, address);
    }

    private static int transfer(final MethodHandle function, final int fd, final long address) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) (long) function.invokeExact(capture, fd, address, (long) Long.BYTES), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    static int close(final int fd) {
        final MemorySegment capture = CAPTURE.get();
        try {
            return result((int) CLOSE.invokeExact(capture, fd), capture);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }
}
