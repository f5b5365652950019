package io.vhca.api;

/** The Linux errno values that verbs answer with; fast-path calls return them negated. Source: errno(3). */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    /** The host has as many files open as it may have. */
    public static final int ENFILE = 23;
    /** The process has as many file descriptors as it may have. */
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int EPIPE = 32;
    public static final int EDEADLK = 35;
    public static final int ENOSYS = 38;
    public static final int EPROTO = 71;
    public static final int EMSGSIZE = 90;
    public static final int EPROTONOSUPPORT = 93;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ENOBUFS = 105;
    public static final int EISCONN = 106;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;
    public static final int EINPROGRESS = 115;
    public static final int ECANCELED = 125;

    private static final String[] NAMES = new String[134];

    static {
        NAMES[EPERM] = "EPERM";
        NAMES[ENOENT] = "ENOENT";
        NAMES[EIO] = "EIO";
        NAMES[EAGAIN] = "EAGAIN";
        NAMES[ENOMEM] = "ENOMEM";
        NAMES[EFAULT] = "EFAULT";
        NAMES[EBUSY] = "EBUSY";
        NAMES[EEXIST] = "EEXIST";
        NAMES[ENODEV] = "ENODEV";
        NAMES[EINVAL] = "EINVAL";
        NAMES[ENFILE] = "ENFILE";
        NAMES[EMFILE] = "EMFILE";
        NAMES[ENOSPC] = "ENOSPC";
        NAMES[EPIPE] = "EPIPE";
        NAMES[EDEADLK] = "EDEADLK";
        NAMES[ENOSYS] = "ENOSYS";
        NAMES[EPROTO] = "EPROTO";
        NAMES[EMSGSIZE] = "EMSGSIZE";
        NAMES[EPROTONOSUPPORT] = "EPROTONOSUPPORT";
        NAMES[EOPNOTSUPP] = "EOPNOTSUPP";
        NAMES[EADDRINUSE] = "EADDRINUSE";
        NAMES[EADDRNOTAVAIL] = "EADDRNOTAVAIL";
        NAMES[ENETDOWN] = "ENETDOWN";
        NAMES[ENETUNREACH] = "ENETUNREACH";
        NAMES[ECONNRESET] = "ECONNRESET";
        NAMES[ENOBUFS] = "ENOBUFS";
        NAMES[EISCONN] = "EISCONN";
        NAMES[ENOTCONN] = "ENOTCONN";
        NAMES[ETIMEDOUT] = "ETIMEDOUT";
        NAMES[ECONNREFUSED] = "ECONNREFUSED";
        NAMES[EHOSTUNREACH] = "EHOSTUNREACH";
        NAMES[EINPROGRESS] = "EINPROGRESS";
        NAMES[ECANCELED] = "ECANCELED";
    }

    private Errno() {}

    /** The C name of an errno, given positive or negated, or {@code errno N} where it is none of the above. */
    public static String name(final int errno) {
        final int positive = Math.abs(errno);
        final String name = positive < NAMES.length ? NAMES[positive] : null;
        return name != null ? name : "errno " + positive;
    }

    /** What to do where a call failed for want of a descriptor, to end a sentence with; empty for another errno. */
    public static String descriptorHint(final int errno) {
        return switch (errno) {
            case EMFILE -> ": no file descriptor is left, raise `ulimit -n`";
            case ENFILE -> ": the host has too many open files, raise fs.file-max";
            default -> "";
        };
    }
}
