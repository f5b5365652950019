package io.vhca.bond.failover;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Peers;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.List;

/**
 * What a vQP knows of its peer once modifyQp alone has brought it to RTR. Whoever reaches RTS asks, and makes the
 * session: a new one for each life of the queue pair, so that what is left of a life before RESET is told from it.
 *
 * <pre>
 *   session, second half:   63        24 23          0
 *                           |  random   |  first PSN of the side that asks |
 * </pre>
 *
 * <p>The first PSN is what the other side knows in RTR already. Do both sides ask at once, the lower session stays.
 *
 * @param destQpNum the peer's vQPN
 * @param rqPsn     the first PSN that the peer sends
 * @param addresses where the peer can be reached
 */
record OutOfBand(int destQpNum, int rqPsn, List<InetAddress> addresses) {
    private static final int PSN_MASK = 0xFF_FFFF;

    static OutOfBand of(final BondCore core, final QpAttributes attributes) {
        final AhAttributes ah = attributes.ah();
        if (ah == null) {
            throw new VerbsException("modifyQp", Errno.EINVAL, core.name(), "the address vector is missing");
        }
        final InetAddress address = ah.dgid().address();
        return new OutOfBand(
                attributes.destQpNum(),
                attributes.rqPsn() & PSN_MASK,
                core.config().peers().getOrDefault(address, List.of(address)));
    }

    /** A new session, for a side that asks. */
    static SessionId newSession(final BondCore core, final int sqPsn) {
        return new SessionId(
                core.instance(), core.random().nextLong() & ~(long) PSN_MASK | sqPsn & PSN_MASK);
    }

    /** Whether a REQ comes from the queue pair that this one was told of. */
    boolean expects(final RecoveryRequest request) {
        return request.senderQpNum() == destQpNum && (request.session().lo() & PSN_MASK) == rqPsn;
    }

    /** Whether the peer may ask from an address: one that was told, or of a bond that was met at such a one. */
    boolean isAt(final InetAddress address, final Peers peers) {
        return addresses.contains(address)
                || addresses.stream().anyMatch(told -> peers.addressesOf(told).contains(address));
    }

    /** Whether the first session stays when both sides ask at once. */
    static boolean isStronger(final SessionId one, final SessionId other) {
        final int order = Long.compareUnsigned(one.hi(), other.hi());
        return order < 0 || order == 0 && Long.compareUnsigned(one.lo(), other.lo()) < 0;
    }
}
