package io.vhca.physical.soft.udp;

import io.vhca.api.CLibrary;
import io.vhca.api.NativeMemory;
import io.vhca.physical.ffm.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The handful of C library calls that a UDP carrier needs, called through FFM, with pointers as numbers. A method
 * answers what the C function answers, or the negated errno. Any thread.
 *
 * <p>What runs for every packet is blind: it does not ask for errno, since a call that does takes an array, and slices
 * the segment errno is captured in, which is garbage wherever the compiler does not inline deep enough.
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

    private static final CFunction SOCKET = CFunction.ofLibc("socket", 3);
    private static final CFunction BIND = CFunction.ofLibc("bind", 3);
    private static final CFunction SETSOCKOPT = CFunction.ofLibc("setsockopt", 5);
    private static final CFunction IOCTL = CFunction.ofLibc("ioctl", 3, Linker.Option.firstVariadicArg(2));
    private static final CFunction RECV = CFunction.ofLibc("recv", 4);
    private static final CFunction SENDMMSG = CFunction.ofLibc("sendmmsg", 4);
    private static final MethodHandle SENDMMSG_BLIND = blind("sendmmsg", 4);
    private static final MethodHandle RECVMMSG_BLIND = blind("recvmmsg", 5);
    private static final MethodHandle PPOLL_BLIND = blind("ppoll", 4);

    private LibC() {}

    private static MethodHandle blind(final String name, final int arguments) {
        return Linker.nativeLinker().downcallHandle(CLibrary.function(name), CFunction.shape(arguments));
    }

    private static AssertionError unexpected(final Throwable e) {
        return new AssertionError("a downcall does not throw", e);
    }

    static int socket(final int family, final int type) {
        return socket(family, type, 0);
    }

    static int socket(final int family, final int type, final int protocol) {
        return SOCKET.count(family, type, protocol);
    }

    static int bind(final int fd, final long sockaddr, final int lengthBytes) {
        return BIND.count(fd, sockaddr, lengthBytes);
    }

    /** Sets an int option. */
    static int setsockopt(final int fd, final int level, final int option, final int value) {
        try (Arena arena = Arena.ofConfined()) {
            return setsockopt(
                    fd, level, option, arena.allocateFrom(ValueLayout.JAVA_INT, value).address(), Integer.BYTES);
        }
    }

    /** Sets an option whose value lies in native memory. */
    static int setsockopt(
            final int fd, final int level, final int option, final long address, final int lengthBytes) {
        return SETSOCKOPT.count(fd, level, option, address, lengthBytes);
    }

    /** Sends without waiting: how many, or the negated errno. Who sends much asks {@link #sendmmsgBlind} first. */
    static int sendmmsg(final int fd, final long messages, final int count) {
        return SENDMMSG.count(fd, messages, count, MSG_DONTWAIT);
    }

    /** Sends without waiting: how many, or -1, whatever the reason. */
    static int sendmmsgBlind(final int fd, final long messages, final int count) {
        try {
            return (int) (long) SENDMMSG_BLIND.invokeExact((long) fd, messages, (long) count, (long) MSG_DONTWAIT);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Receives without waiting: how many, or -1, whatever the reason. */
    static int recvmmsgBlind(final int fd, final long messages, final int count) {
        try {
            return (int) (long) RECVMMSG_BLIND.invokeExact((long) fd, messages, (long) count, (long) MSG_DONTWAIT, 0L);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** Waits: how many descriptors are ready, or -1, whatever the reason. */
    static int ppollBlind(final long pollfds, final long count, final long timespec) {
        try {
            return (int) (long) PPOLL_BLIND.invokeExact(pollfds, count, timespec, 0L);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** The int that an interface request answers: flags (16 bits) or MTU; or the negated errno. */
    static int interfaceValue(final int fd, final long request, final long ifreq) {
        NativeMemory.putInt(ifreq + SocketLayout.IFR_VALUE, 0);
        final int result = IOCTL.count(fd, request, ifreq);
        return result < 0 ? result : NativeMemory.getInt(ifreq + SocketLayout.IFR_VALUE);
    }

    /** Receives without waiting, what does not fit is lost: how many bytes, or the negated errno. */
    static int recv(final int fd, final long buffer, final int lengthBytes) {
        return RECV.count(fd, buffer, lengthBytes, MSG_DONTWAIT);
    }
}
