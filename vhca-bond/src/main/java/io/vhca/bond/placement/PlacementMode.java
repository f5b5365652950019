package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** One aggregation mode: which member it gives to a vQP that this side has placed. Control lock. */
interface PlacementMode {
    /**
     * The place of a new vQP in the order of members; at least 0.
     *
     * @param peer  the peer's address, as the application gave it
     * @param port  the peer's port
     * @param qpNum the vQPN on this side
     */
    int place(InetAddress peer, int port, int qpNum);

    /** The member to prefer for a place as things stand. */
    Member preferred(int place);

    /** The member that a healthy vQP of that place shall move to, or null when it may stay wherever it lives. */
    default @Nullable Member wanted(final int place) {
        return preferred(place);
    }
}
