package io.vhca.physical.soft.engine;

import io.vhca.api.Gid;

/**
 * Where a peer is.
 *
 * @param high      high half of its GID
 * @param low       low half of its GID
 * @param route     the carrier's token for it
 * @param sgidIndex the own GID by its place in the table; nothing goes out once it is not there any more
 */
record Path(Gid gid, long high, long low, int route, int sgidIndex) {
    Path(final Gid gid, final int route, final int sgidIndex) {
        this(gid, gid.subnetPrefix(), gid.interfaceId(), route, sgidIndex);
    }

    boolean isFrom(final long sourceHigh, final long sourceLow) {
        return low == sourceLow && high == sourceHigh;
    }
}
