package io.vhca.physical.soft.udp;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.wire.Wire;

/**
 * Where packets of a route go, in native memory: the socket address, and the control messages that go with each of
 * them. Any thread.
 *
 * <pre>
 *   0          28             32              80      128
 *   | sockaddr | controlBytes | control       | unused  |
 * </pre>
 */
final class RouteDescriptor {
    private static final int SOCKADDR = 0;
    private static final int CONTROL_BYTES = SOCKADDR + SocketLayout.SIN6_SIZE;
    private static final int CONTROL = CONTROL_BYTES + Integer.BYTES;

    /** Distance between routes in a table of them. */
    static final int STRIDE = 128;

    static {
        assert CONTROL + IpControl.BYTES <= STRIDE : "a route is longer than its place";
    }

    private RouteDescriptor() {}

    static void write(final long route, final int family, final int scopeId, final Destination to) {
        SocketAddresses.write(sockaddr(route), family, to.gid(), Wire.UDP_PORT, scopeId);
        NativeMemory.putInt(route + CONTROL_BYTES, IpControl.write(control(route), family, to));
    }

    static long sockaddr(final long route) {
        return route + SOCKADDR;
    }

    static int controlBytes(final long route) {
        return NativeMemory.getInt(route + CONTROL_BYTES);
    }

    static long control(final long route) {
        return route + CONTROL;
    }
}
