package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Destination;

/**
 * Control messages of sendmmsg(2) and recvmmsg(2) that carry fields of the IP header, packet by packet (ip(7), ipv6(7),
 * cmsg(3)). One socket serves queue pairs of every traffic class so. Any thread.
 */
final class IpControl {
    /** No such control message. */
    static final long NOT_THERE = 0;

    /** Room for the fields of one packet. */
    static final int BYTES = 2 * SocketLayout.CMSG_SPACE;

    private IpControl() {}

    /** Writes what a destination wants besides its address: how many bytes that takes, 0 for nothing. */
    static int write(final long control, final int family, final Destination to) {
        int used = 0;
        if (to.trafficClass() != 0) {
            used += put(control, family, LibC.IP_TOS, LibC.IPV6_TCLASS, to.trafficClass());
        }
        if (to.hopLimit() != 0) {
            used += put(control + used, family, LibC.IP_TTL, LibC.IPV6_HOPLIMIT, to.hopLimit());
        }
        return used;
    }

    private static int put(final long at, final int family, final int type4, final int type6, final int value) {
        final boolean isV4 = family == LibC.AF_INET;
        NativeMemory.putLong(at + SocketLayout.CMSG_LEN, SocketLayout.CMSG_DATA + Integer.BYTES);
        NativeMemory.putInt(at + SocketLayout.CMSG_LEVEL, isV4 ? LibC.IPPROTO_IP : LibC.IPPROTO_IPV6);
        NativeMemory.putInt(at + SocketLayout.CMSG_TYPE, isV4 ? type4 : type6);
        NativeMemory.putInt(at + SocketLayout.CMSG_DATA, value);
        return SocketLayout.CMSG_SPACE;
    }

    /** The kernel is to tell the traffic class of every packet from now on. */
    static void askForClass(final int fd, final int family) {
        if (family == LibC.AF_INET) {
            LibC.setsockopt(fd, LibC.IPPROTO_IP, LibC.IP_RECVTOS, 1);
        } else {
            LibC.setsockopt(fd, LibC.IPPROTO_IPV6, LibC.IPV6_RECVTCLASS, 1);
        }
    }

    /** The traffic class of a received packet; 0 where the kernel did not tell. IPv4's is one byte, IPv6's an int. */
    static int trafficClass(final long control, final long controlBytes) {
        long told = find(control, controlBytes, LibC.IPPROTO_IP, LibC.IP_TOS, Byte.BYTES);
        if (told == NOT_THERE) {
            told = find(control, controlBytes, LibC.IPPROTO_IPV6, LibC.IPV6_TCLASS, Byte.BYTES);
        }
        return told == NOT_THERE ? 0 : NativeMemory.getByte(told) & 0xff;
    }

    /** Where the data of a control message begins that has so many bytes at least; NOT_THERE without one. */
    static long find(
            final long control, final long controlBytes, final int level, final int type, final int leastBytes) {
        final long end = control + controlBytes;
        long at = control;
        while (end - at >= SocketLayout.CMSG_DATA + leastBytes) {
            final long bytes = NativeMemory.getLong(at + SocketLayout.CMSG_LEN);
            if (bytes < SocketLayout.CMSG_DATA || bytes > end - at) {
                return NOT_THERE;
            }
            if (bytes >= SocketLayout.CMSG_DATA + leastBytes
                    && NativeMemory.getInt(at + SocketLayout.CMSG_LEVEL) == level
                    && NativeMemory.getInt(at + SocketLayout.CMSG_TYPE) == type) {
                return at + SocketLayout.CMSG_DATA;
            }
            at += (bytes + Long.BYTES - 1) & -Long.BYTES;
        }
        return NOT_THERE;
    }
}
