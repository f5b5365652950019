package io.vhca.bond.cm;

import io.vhca.api.Context;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.OpenObjects;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.Placement;
import org.jspecify.annotations.Nullable;

/**
 * What the CM objects of one open bond are made of; each takes from it what it needs when it is created.
 *
 * @param context     the bond as the application knows it
 * @param children    what the application has created and not closed yet
 * @param datagramIds creates ids of RDMA_PS_UDP
 */
public record CmScope(
        Context context,
        BondCore core,
        Members members,
        Links links,
        Peers peers,
        Sessions sessions,
        PendingAccepts accepts,
        AddressBook addresses,
        Placement placement,
        ConnectWaits waits,
        OpenObjects children,
        DatagramIdFactory datagramIds) {
    /** With an empty book of addresses. */
    public CmScope(
            final Context context,
            final BondCore core,
            final Members members,
            final Links links,
            final Peers peers,
            final Sessions sessions,
            final PendingAccepts accepts,
            final Placement placement,
            final ConnectWaits waits,
            final OpenObjects children,
            final DatagramIdFactory datagramIds) {
        this(
                context, core, members, links, peers, sessions, accepts, new AddressBook(core), placement, waits,
                children, datagramIds);
    }

    /** Creates the ids of RDMA_PS_UDP, which the layer of datagrams has. Control lock. */
    @FunctionalInterface
    public interface DatagramIdFactory {
        VirtualCmId<?> create(BondEventChannel channel, @Nullable Object idContext);
    }
}
