package io.vhca.physical.soft.engine.core;

import io.vhca.api.Gid;

/**
 * The way to a peer from the port as it was when the path was made.
 *
 * @param high      high half of the peer's GID
 * @param low       low half of the peer's GID
 * @param route     the carrier's token for it
 * @param sgidIndex where the port's GID was in its table; nothing is sent once it is elsewhere
 */
public record Path(long high, long low, int route, int sgidIndex) {
    /** The path to {@code gid} by the carrier's token for it. */
    public Path(final Gid gid, final int route, final int sgidIndex) {
        this(gid.subnetPrefix(), gid.interfaceId(), route, sgidIndex);
    }

    /** True when a packet from that GID comes from this peer. */
    public boolean isFrom(final long sourceHigh, final long sourceLow) {
        return low == sourceLow && high == sourceHigh;
    }
}
