package io.vhca.bond.link;

import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The other bonds that this one has met. Control lock. */
public final class Peers {
    private final Map<Long, Peer> byInstance = new HashMap<>();

    /** The bond of an instance id, known from now on. */
    public Peer of(final long instance) {
        return byInstance.computeIfAbsent(instance, Peer::new);
    }

    /** Where a bond can be reached of which one address is known: that address first, then those of its members. */
    public List<InetAddress> addressesOf(final InetAddress known) {
        final List<InetAddress> addresses = new ArrayList<>(List.of(known));
        for (final Peer peer : byInstance.values()) {
            final List<InetAddress> members =
                    peer.members().stream().map(MemberAddress::inetAddress).toList();
            if (members.contains(known)) {
                members.stream().filter(member -> !addresses.contains(member)).forEach(addresses::add);
            }
        }
        return addresses;
    }
}
