package io.vhca.rdp.memory;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** What a datagram may be sent from in place. */
public final class SendMemory {
    private SendMemory() {}

    /**
     * Lets memory pass that a device can read.
     *
     * @param node of the socket that sends
     * @throws VerbsException EINVAL where it is not native, or too long for a device; EFAULT where its arena was closed
     */
    public static void check(final MemorySegment datagram, final InetAddress node) {
        if (!datagram.isNative() || datagram.byteSize() > Integer.MAX_VALUE) {
            throw new VerbsException(
                    "send", Errno.EINVAL, "socket of " + node,
                    "a device cannot read " + datagram + "; use memory of an Arena, shorter than 2 GB");
        }
        if (!datagram.scope().isAlive()) {
            NativeMemory.requireAlive("send", "socket of " + node, datagram);
        }
    }
}
