package io.vhca.bond.link;

import io.vhca.bond.member.Member;

/** Says which member a vQP shall live on. Control lock. */
public interface PathPreference {
    /** The place of a vQP that the peer placed: this side follows. */
    int PEERS = -1;

    /**
     * The member to prefer for a place as things stand.
     *
     * @param place of the vQP in the order of members, or {@link #PEERS}
     */
    Member preferred(int place);
}
