package io.vhca.bond.link;

import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where bonds have said that their members are when they asked for a queue pair for datagrams, or were asked. Anybody
 * may say so: nothing that is connected goes by it. Bounded: the oldest is forgotten. Control lock.
 */
public final class DatagramPeers {
    private static final int LIMIT = 1_024;

    private final Peers connected;
    private final Map<Long, List<MemberAddress>> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Long, List<MemberAddress>> eldest) {
            return size() > LIMIT;
        }
    };

    /** @param connected those that are known better */
    DatagramPeers(final Peers connected) {
        this.connected = connected;
    }

    /** A bond says what its members are. */
    public void heard(final long instance, final List<MemberAddress> members) {
        if (!members.isEmpty()) {
            said.put(instance, List.copyOf(members));
        }
    }

    /** Where a bond may be of which one address is known: that address first, then those of its members. */
    public List<InetAddress> addressesOf(final InetAddress known) {
        final List<InetAddress> addresses = connected.addressesOf(known);
        for (final List<MemberAddress> list : said.values()) {
            final List<InetAddress> members = list.stream().map(MemberAddress::inetAddress).toList();
            if (members.contains(known)) {
                members.stream().filter(member -> !addresses.contains(member)).forEach(addresses::add);
            }
        }
        return addresses;
    }
}
