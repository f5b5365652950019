package io.vhca.physical.soft.engine;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.Carrier;

/** What the one port says of itself: its MTU, and its GID at one place of a table, empty before it. Any thread. */
final class PortSettings {
    /** Room a packet needs besides its payload: the longest RC headers, IMM and ICRC. */
    private static final int OVERHEAD_BYTES = 64;

    private final String name;
    private final Carrier carrier;
    private volatile Mtu mtu;
    private volatile int gidIndex;

    PortSettings(final String name, final Carrier carrier) {
        this.name = name;
        this.carrier = carrier;
        mtu = Mtu.atMost(carrier.maxPacketBytes() - OVERHEAD_BYTES);
    }

    Mtu mtu() {
        return mtu;
    }

    /** As large as wanted, or as the carrier allows. */
    void mtu(final Mtu wanted) {
        mtu = Mtu.atMost(Math.min(wanted.bytes(), carrier.maxPacketBytes() - OVERHEAD_BYTES));
    }

    int gidIndex() {
        return gidIndex;
    }

    /** False where it is there already. */
    boolean moveGid(final int index) {
        final boolean moves = index != gidIndex;
        gidIndex = index;
        return moves;
    }

    Gid gid(final int index) {
        final int last = gidIndex;
        if (index < 0 || index > last) {
            throw new VerbsException("queryGid", Errno.EINVAL, name, "the GID table ends with the entry " + last);
        }
        return index == last ? carrier.address() : new Gid(0, 0);
    }

    /** A way from here as it is now. */
    Path path(final Gid destination) {
        return new Path(destination, carrier.route(destination), gidIndex);
    }

    /** @param config limits of the device */
    PortAttributes attributes(
            final boolean isUp, final int pkeys, final SoftNicConfig config, final int speedMbps) {
        return new PortAttributes(
                isUp ? PortState.ACTIVE : PortState.DOWN,
                Mtu.MTU_4096,
                mtu,
                gidIndex + 1,
                pkeys,
                config.maxMessageBytes(),
                0,
                LinkLayer.ETHERNET,
                speedMbps);
    }
}
