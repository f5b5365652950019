package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.CFunction;

/** Turns an errno of a C call into the exception that says what to do about it. */
public final class VerbFailure {
    public static final int EINTR = 4;
    public static final int EACCES = 13;
    public static final String DEAD = "the device is gone: close its objects, and open it again when it is back";

    private VerbFailure() {}

    /**
     * @param negatedErrno as the calls of {@link CFunction} answer it
     * @param object       as the user knows it
     */
    public static VerbsException of(final String verb, final long negatedErrno, final String object) {
        final int errno = (int) -negatedErrno;
        return new VerbsException(verb, errno, object, whatToDo(verb, errno));
    }

    public static VerbsException invalid(final String verb, final String object, final String detail) {
        return new VerbsException(verb, Errno.EINVAL, object, detail);
    }

    public static VerbsException busy(final String verb, final String object, final String detail) {
        return new VerbsException(verb, Errno.EBUSY, object, detail);
    }

    public static VerbsException dead(final String verb, final String object) {
        return new VerbsException(verb, Errno.EIO, object, DEAD);
    }

    public static VerbsException closed(final String verb, final String object) {
        return invalid(verb, object, "it is closed");
    }

    private static String whatToDo(final String verb, final int errno) {
        return switch (errno) {
            case Errno.EPERM, EACCES -> "this user may not use the device: give it access to /dev/infiniband, or run as"
                    + " root";
            case Errno.ENOMEM -> verb.equals("regMr")
                    ? "the memory cannot be locked: raise `ulimit -l`, or the device has no room for one more region"
                    : "no memory, or a limit of the device is reached: queryDevice tells the limits, `ulimit -l` the"
                            + " locked memory";
            case Errno.EMFILE -> "no file descriptor is left: raise `ulimit -n`";
            case Errno.ENFILE -> "the host has too many open files: raise fs.file-max";
            case Errno.ENODEV, Errno.EIO -> DEAD;
            case Errno.EINVAL -> "the kernel or the device's driver refuses the arguments: compare them with"
                    + " queryDevice and queryPort";
            case Errno.EOPNOTSUPP -> "the device or its driver does not offer this";
            case Errno.EADDRINUSE -> "another id has this port: choose another one, or port 0 for any";
            case Errno.EADDRNOTAVAIL -> "no RDMA device of this host has this address, or another id listens at the"
                    + " port of all addresses: see `rdma link`, and `rdma resource show cm_id`";
            case Errno.ENOENT -> verb.equals("openDevice")
                    ? "its file below /dev/infiniband is not there, or closed to this user: give it access, or run as"
                            + " root"
                    : "the kernel has no RDMA connection manager for users: `modprobe rdma_ucm`";
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH -> "there is no route to the address: see `ip route get`";
            default -> "see the kernel's log (dmesg) for what the driver says";
        };
    }
}
