package io.vhca.physical.soft.udp;

/**
 * Layouts of the C structures that the socket calls take, on 64-bit Linux (x86-64 and aarch64 agree).
 *
 * <pre>
 * struct mmsghdr
 *   0           8              16        24           32            40               48       56        60
 *   | msg_name  | namelen, pad | msg_iov | msg_iovlen | msg_control | msg_controllen | flags, pad | msg_len, pad |
 * struct iovec                struct sockaddr_in                     struct sockaddr_in6
 *   0          8         16     0        2      4      8        16     0        2      4          8      24        28
 *   | iov_base | iov_len |      | family | port | addr | zero   |      | family | port | flowinfo | addr | scope_id |
 * struct pollfd               struct timespec       struct ifreq
 *   0    4        6         8   0     8      16       0      16                        40
 *   | fd | events | revents |   | sec | nsec |        | name | flags, mtu, ... (union) |
 * struct cmsghdr                     struct sockaddr_nl
 *   0          8       12     16       0        2      4     8        12
 *   | cmsg_len | level | type | data |    | family | zero | pid | groups |
 * </pre>
 *
 * Source: sendmmsg(2), recvmmsg(2), cmsg(3), ip(7), ipv6(7), udp(7), poll(2), netdevice(7), netlink(7).
 */
final class SocketLayout {
    static final int MSG_NAME = 0;
    static final int MSG_NAMELEN = MSG_NAME + Long.BYTES;
    static final int MSG_IOV = MSG_NAMELEN + Long.BYTES;
    static final int MSG_IOVLEN = MSG_IOV + Long.BYTES;
    static final int MSG_CONTROL = MSG_IOVLEN + Long.BYTES;
    static final int MSG_CONTROLLEN = MSG_CONTROL + Long.BYTES;
    static final int MSG_FLAGS = MSG_CONTROLLEN + Long.BYTES;
    static final int MMSG_LEN = MSG_FLAGS + Long.BYTES;
    static final int MMSG_SIZE = MMSG_LEN + Long.BYTES;

    static final int CMSG_LEN = 0;
    static final int CMSG_LEVEL = CMSG_LEN + Long.BYTES;
    static final int CMSG_TYPE = CMSG_LEVEL + Integer.BYTES;
    static final int CMSG_DATA = CMSG_TYPE + Integer.BYTES;
    /** Of one message whose data has eight bytes at most. */
    static final int CMSG_SPACE = CMSG_DATA + Long.BYTES;

    static final int IOV_BASE = 0;
    static final int IOV_LEN = IOV_BASE + Long.BYTES;
    static final int IOV_SIZE = IOV_LEN + Long.BYTES;

    static final int SA_FAMILY = 0;
    static final int SA_PORT = SA_FAMILY + Short.BYTES;
    static final int SIN_ADDR = SA_PORT + Short.BYTES;
    static final int SIN_SIZE = SIN_ADDR + Integer.BYTES + Long.BYTES;
    static final int SIN6_FLOWINFO = SA_PORT + Short.BYTES;
    static final int SIN6_ADDR = SIN6_FLOWINFO + Integer.BYTES;
    static final int SIN6_SCOPE = SIN6_ADDR + 2 * Long.BYTES;
    static final int SIN6_SIZE = SIN6_SCOPE + Integer.BYTES;
    static final int SNL_GROUPS = SA_PORT + Short.BYTES + Integer.BYTES;
    static final int SNL_SIZE = SNL_GROUPS + Integer.BYTES;
    /** Distance between addresses in a table of them. */
    static final int SA_STRIDE = 32;

    static final int POLL_FD = 0;
    static final int POLL_EVENTS = POLL_FD + Integer.BYTES;
    static final int POLL_REVENTS = POLL_EVENTS + Short.BYTES;
    static final int POLL_SIZE = POLL_REVENTS + Short.BYTES;

    static final int TS_SEC = 0;
    static final int TS_NSEC = TS_SEC + Long.BYTES;
    static final int TS_SIZE = TS_NSEC + Long.BYTES;

    static final int IFR_NAME = 0;
    static final int IFR_NAME_BYTES = 16;
    static final int IFR_VALUE = IFR_NAME + IFR_NAME_BYTES;
    static final int IFR_SIZE = IFR_VALUE + 3 * Long.BYTES;

    static {
        if (MMSG_SIZE != 64 || SIN_SIZE != 16 || SIN6_SIZE != 28 || POLL_SIZE != 8 || IFR_SIZE != 40) {
            throw new ExceptionInInitializerError("a socket structure has the wrong size");
        }
    }

    private SocketLayout() {}
}
