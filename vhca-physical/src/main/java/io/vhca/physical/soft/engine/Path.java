package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;

/**
 * Where a peer is.
 *
 * @param high  high half of its GID
 * @param low   low half of its GID
 * @param route the carrier's token for it
 */
record Path(Gid gid, long high, long low, int route) {
    Path(final Gid gid, final int route) {
        this(gid, gid.subnetPrefix(), gid.interfaceId(), route);
    }

    boolean isFrom(final long sourceHigh, final long sourceLow) {
        return low == sourceLow && high == sourceHigh;
    }
}
