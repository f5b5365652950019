package io.vhca.bond.link;

import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where bonds have said that their members are when they asked for a queue pair for datagrams, or were asked. Anybody
 * may say so: nothing that is connected goes by it. Bounded: the oldest is forgotten. Control lock.
 */
public final class DatagramPeers {
    private static final int LIMIT = 1_024;
    private static final int MOST_NAMES = 32;

    private final Peers connected;
    private final Map<Long, Bond> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Long, Bond> eldest) {
            return size() > LIMIT;
        }
    };

    /**
     * What one bond has said.
     *
     * @param members where its members are
     * @param names   those, and where members of it were, latest first
     */
    private record Bond(List<InetAddress> members, List<InetAddress> names) {
        Bond with(final InetAddress name) {
            return names.contains(name)
                    ? this
                    : new Bond(members, Stream.concat(Stream.of(name), names.stream()).limit(MOST_NAMES).toList());
        }

        Bond without(final List<InetAddress> others) {
            return new Bond(members, names.stream().filter(name -> !others.contains(name)).toList());
        }
    }

    /** @param connected those that are known better */
    DatagramPeers(final Peers connected) {
        this.connected = connected;
    }

    /** A bond says what its members are; the address of a device that died since names it still. */
    public void heard(final long instance, final List<MemberAddress> members) {
        final List<InetAddress> news = heard(instance, members, List.of());
        if (!news.isEmpty()) {
            areOf(news);
        }
    }

    /** The same where its record has no room for more: those that it named before may be members still. */
    public void heardSome(final long instance, final List<MemberAddress> members) {
        final Bond before = said.get(instance);
        heard(instance, members, before == null ? List.of() : before.members);
    }

    /** Where its members are known to be from now on; empty where that is no news. */
    private List<InetAddress> heard(
            final long instance, final List<MemberAddress> members, final List<InetAddress> others) {
        if (members.isEmpty()) {
            return List.of();
        }
        final List<InetAddress> now =
                members.stream().map(MemberAddress::inetAddress).toList();
        final Bond before = said.get(instance);
        final Set<InetAddress> names = new LinkedHashSet<>(now);
        names.addAll(others);
        final List<InetAddress> all = names.stream().limit(MOST_NAMES).toList();
        if (before != null) {
            names.addAll(before.names);
        }
        said.put(instance, new Bond(all, names.stream().limit(MOST_NAMES).toList()));
        return before != null && before.members.equals(all) ? List.of() : all;
    }

    /**
     * What one bond says is all that is its own, and names no other one that has members elsewhere: addresses have gone
     * from host to host. Two programs of one host share all of them.
     */
    private void areOf(final List<InetAddress> members) {
        said.replaceAll((unused, other) -> members.containsAll(other.members) ? other : other.without(members));
    }

    /** A bond has answered at that address: it names the bond, be it none of those that the bond has said. */
    public void answered(final long instance, final InetAddress at) {
        said.computeIfPresent(instance, (unused, bond) -> bond.with(at));
    }

    /** Whether that address names the bond of that instance, as far as is known. */
    public boolean isNamed(final long instance, final InetAddress address) {
        final Bond bond = said.get(instance);
        return bond != null && bond.names.contains(address);
    }

    /** Where a bond may be of which one address is known: that address first, then those of its members. */
    public List<InetAddress> addressesOf(final InetAddress known) {
        final List<InetAddress> addresses = connected.addressesOf(known);
        for (final Bond bond : said.values()) {
            if (bond.names.contains(known)) {
                bond.members.stream().filter(member -> !addresses.contains(member)).forEach(addresses::add);
            }
        }
        return addresses;
    }
}
