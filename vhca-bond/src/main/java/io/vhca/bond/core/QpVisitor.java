package io.vhca.bond.core;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.bond.BondAdmin;
import io.vhca.recovery.RecoveryState;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Takes what {@link BondAdmin#visit} tells of each vQP. */
public interface QpVisitor {
    /**
     * One vQP.
     *
     * @param index     of the vQP; one that is closed leaves it to another
     * @param type      RC or UD
     * @param qpNum     the vQPN
     * @param state     as the application sees it
     * @param recovery  where its recovery stands, IDLE before the first connection; null for UD, which has none, and
     *                  for RC with a peer without the bond
     * @param epoch     grows by one with each attempt to connect; for UD with each move
     * @param member    index of the member it lives on now, -1 for none
     * @param remote    address of the peer's member, null where there is none now, and for UD
     * @param posted    send requests that hardware was given
     * @param completed send requests that are completed
     * @param received  messages received
     */
    void onQueuePair(
            int index,
            int qpNum,
            QpType type,
            QpState state,
            @Nullable RecoveryState recovery,
            int epoch,
            int member,
            @Nullable InetAddress remote,
            long posted,
            long completed,
            long received);
}
