package io.vhca.bond;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.VerbsException;
import io.vhca.recovery.SessionId;
import java.net.InetAddress;
import java.util.List;

/**
 * What two bonds agree on without a word when their applications exchange numbers out of band and bring the queue pairs
 * up by modifyQp alone: both derive the session from the same four numbers, and the lower end is side 0.
 */
record OutOfBand(SessionId session, int side, List<InetAddress> addresses) {
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    static OutOfBand of(final BondContext context, final int qpNum, final QpAttributes attributes) {
        final AhAttributes ah = attributes.ah();
        if (ah == null) {
            throw new VerbsException("modifyQp", Errno.EINVAL, context.name(), "the address vector is missing");
        }
        final Gid own = context.queryGid(1, 0);
        final long mine = end(own, qpNum, attributes.sqPsn());
        final long theirs = end(ah.dgid(), attributes.destQpNum(), attributes.rqPsn());
        final InetAddress address = ah.dgid().address();
        return new OutOfBand(
                new SessionId(Math.min(mine, theirs), Math.max(mine, theirs)),
                mine < theirs ? 0 : 1,
                context.config().peers().getOrDefault(address, List.of(address)));
    }

    /** A number for one end: GID, QP number and first PSN, mixed so that different ends differ. */
    private static long end(final Gid gid, final int qpNum, final int psn) {
        long mixed = gid.subnetPrefix() * MIX ^ gid.interfaceId();
        mixed = (mixed ^ mixed >>> 29) * MIX + qpNum;
        mixed = (mixed ^ mixed >>> 31) * MIX + psn;
        return mixed ^ mixed >>> 30;
    }
}
