package io.vhca.bond.link;

import io.vhca.bond.member.Member;
import java.net.InetAddress;

/** Says which member a vQP shall live on. Control lock. */
public interface PathPreference {
    /** The place of a vQP that the peer placed: this side follows. */
    int PEERS = -1;

    /**
     * The place of a new vQP in the order of members; at least 0.
     *
     * @param peer  the peer's address, as the application gave it
     * @param port  the peer's port
     * @param qpNum the vQPN on this side
     */
    int place(InetAddress peer, int port, int qpNum);

    /**
     * The member to prefer for a place as things stand.
     *
     * @param place of the vQP in the order of members, or {@link #PEERS}
     */
    Member preferred(int place);
}
