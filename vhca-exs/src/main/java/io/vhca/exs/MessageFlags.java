package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;

/** Flags of sends and receives, with the values that Linux gives them. */
public final class MessageFlags {
    /** Of a receive: completes only when it is full, or at the end of what is sent. */
    public static final int MSG_WAITALL = 0x100;

    /** Of a receive: leaves what it shows to the next one. Shows one message or one advertised piece at most. */
    public static final int MSG_PEEK = 0x2;

    private static final int[] CODES = {0x1, 0x4, 0x8, 0x20, 0x40, 0x80, 0x4000, 0x8000, 0x400_0000};
    private static final String[] NAMES = {
        "MSG_OOB: there is no out-of-band data",
        "MSG_DONTROUTE: the device routes",
        "MSG_CTRUNC: there is no control data",
        "MSG_TRUNC: ExsEvent.isTruncated tells",
        "MSG_DONTWAIT: no call waits",
        "MSG_EOR: a send to a SEQPACKET socket ends its message",
        "MSG_NOSIGNAL: no signal is raised",
        "MSG_MORE: nothing is held back",
        "MSG_ZEROCOPY: registered memory is not copied"
    };

    private MessageFlags() {}

    /** Refuses by name what a call cannot do. */
    static void check(final String call, final Object socket, final int flags, final int known) {
        final int unknown = flags & ~known;
        if (unknown == 0) {
            return;
        }
        final String object = socket.toString();
        for (int i = 0; i < CODES.length; i++) {
            if ((unknown & CODES[i]) != 0) {
                throw new VerbsException(call, Errno.EOPNOTSUPP, object, "no flag " + NAMES[i] + "; leave it out");
            }
        }
        final String name = (unknown & MSG_WAITALL) != 0
                ? "MSG_WAITALL, which belongs to a receive from a STREAM socket"
                : (unknown & MSG_PEEK) != 0
                        ? "MSG_PEEK, which belongs to a receive"
                        : "0x" + Integer.toHexString(unknown);
        throw new VerbsException(call, Errno.EINVAL, object, "no flag " + name + "; leave it out");
    }
}
