package io.vhca.rdp.completion;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Who sent a datagram; filled by a receive, so that it need not allocate. One thread at a time. */
public final class DatagramSource {
    private @Nullable InetSocketAddress address;

    /** Address and port of the sender; null before the first receive. The object is the same for all of a flow. */
    public @Nullable InetSocketAddress address() {
        return address;
    }

    public void address(final InetSocketAddress of) {
        address = of;
    }
}
