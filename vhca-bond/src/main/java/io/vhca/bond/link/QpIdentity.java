package io.vhca.bond.link;

import io.vhca.recovery.wire.SessionId;

/**
 * Who is connected to whom.
 *
 * @param session   made by the initiator's bond; both sides show it whenever they meet again
 * @param side      0 for the initiator of the first connect, 1 for the responder
 * @param place     where it is placed, see {@link PathPreference}
 * @param peerQpNum the peer's vQPN
 * @param peer      the peer's bond
 */
public record QpIdentity(SessionId session, int side, int place, int peerQpNum, Peer peer) {
    public QpIdentity withPeer(final Peer other) {
        return new QpIdentity(session, side, place, peerQpNum, other);
    }
}
