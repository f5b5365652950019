package io.vhca.bond.link;

import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bonds that this one is or was connected to. Control lock.
 *
 * <p>A bond tells its instance to each of its peers, so any of them could show it. Who shows one from an address that
 * the bond of that instance is not known to be at is therefore another peer, until a session that both know proves the
 * contrary: {@link io.vhca.bond.failover.QpRecovery#provenOf}.
 */
public final class Peers {
    private final Map<Long, List<Peer>> byInstance = new HashMap<>();
    private final DatagramPeers datagrams = new DatagramPeers(this);

    /** What anybody has said of a bond's members, who may or may not be of that bond. */
    public DatagramPeers datagrams() {
        return datagrams;
    }

    /** The bond that shows an instance from an address, known from now on. */
    public Peer at(final long instance, final InetAddress address) {
        final Peer known = find(instance, address);
        if (known != null) {
            return known;
        }
        final Peer fresh = new Peer(instance);
        byInstance.computeIfAbsent(instance, unused -> new ArrayList<>()).add(fresh);
        return fresh;
    }

    /** The same of one that has accepted a connection there, and said where its members are. */
    public Peer met(final long instance, final InetAddress address, final List<MemberAddress> members) {
        final Peer peer = at(instance, address);
        peer.metAt(address);
        peer.heard(members);
        return peer;
    }

    /** The bond of that instance that is known to be at that address, or null. */
    public @Nullable Peer find(final long instance, final InetAddress address) {
        for (final Peer peer : byInstance.getOrDefault(instance, List.of())) {
            if (peer.isAt(address)) {
                return peer;
            }
        }
        return null;
    }

    /** Where a bond can be reached that was met at an address: that address first, then those of its members. */
    public List<InetAddress> addressesOf(final InetAddress known) {
        final List<InetAddress> addresses = new ArrayList<>(List.of(known));
        for (final List<Peer> peers : byInstance.values()) {
            for (final Peer peer : peers) {
                if (peer.isMetAt(known)) {
                    peer.members().stream()
                            .map(MemberAddress::inetAddress)
                            .filter(member -> !addresses.contains(member))
                            .forEach(addresses::add);
                }
            }
        }
        return addresses;
    }
}
