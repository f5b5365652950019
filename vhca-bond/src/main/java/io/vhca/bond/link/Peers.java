package io.vhca.bond.link;

import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.ReplyRecord;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bonds that this one is or was connected to. Control lock.
 *
 * <p>A bond tells its instance to each of its peers, so any of them could show it. Who shows one from an address that
 * the bond of that instance is not known to be at is therefore another peer, until a session that both know proves the
 * contrary: {@link io.vhca.bond.failover.QpRecovery#provenOf}.
 *
 * <p>Bounded: a bond that nothing holds any more, no vQP and no link, is remembered until {@value #MOST_PAST} others
 * were held last after it.
 */
public final class Peers {
    /** Bonds that are remembered though nothing holds them. */
    static final int MOST_PAST = 1_024;

    private final Map<Long, List<Peer>> byInstance = new HashMap<>();
    private final Map<InetAddress, Set<Peer>> byMet = new HashMap<>();
    /** Those that nothing holds, the one that was held last behind the others. */
    private final SequencedSet<Peer> past = new LinkedHashSet<>();
    private final DatagramPeers datagrams = new DatagramPeers(this);
    private int tellings;

    /** What anybody has said of a bond's members, who may or may not be of that bond. */
    public DatagramPeers datagrams() {
        return datagrams;
    }

    /** The bond that shows an instance from an address, known from now on. */
    public Peer at(final long instance, final InetAddress address) {
        final Peer known = find(instance, address);
        if (known != null) {
            if (past.contains(known)) {
                past.addLast(known);
            }
            return known;
        }
        final Peer fresh = new Peer(instance, this);
        byInstance.computeIfAbsent(instance, unused -> new ArrayList<>()).add(fresh);
        released(fresh);
        return fresh;
    }

    /** The same of one that has accepted a connection there, and said where its members are. */
    public Peer met(final long instance, final InetAddress address, final List<MemberAddress> members) {
        final Peer peer = at(instance, address);
        peer.metAt(address);
        peer.heard(members);
        if (!ReplyRecord.mayLeaveOut(members)) {
            isThere(peer);
        } // else it is about to tell of the others
        return peer;
    }

    /** The same, with what was agreed on, and where it was looked for. */
    public Peer met(
            final long instance, final InetAddress address, final List<MemberAddress> members,
            final Agreement agreed, final List<InetAddress> listed) {
        final Peer peer = met(instance, address, members);
        peer.agreed(agreed);
        peer.listedAt(listed);
        return peer;
    }

    /** One of them has said what all of its members are. */
    void told(final Peer peer) {
        tellings++;
        isThere(peer);
    }

    /**
     * What that bond's members are is known. Where it was met, no other one is any more that nothing holds and that had
     * members elsewhere: the address has gone from one host to another. Two programs of one host share all addresses.
     */
    private void isThere(final Peer peer) {
        for (final InetAddress address : peer.met()) {
            for (final Peer other : List.copyOf(byMet.getOrDefault(address, Set.of()))) {
                if (peer.isMetAt(address) && other != peer && !other.isHeld() && !peer.hasAllOf(other)) {
                    other.isNoMoreAt(address);
                }
            }
        }
    }

    /** How often any of them has said so. */
    public int tellings() {
        return tellings;
    }

    /** Something holds that bond: it is not forgotten. */
    void held(final Peer peer) {
        if (!past.remove(peer)) {
            // It was forgotten meanwhile.
            byInstance.computeIfAbsent(peer.instance(), unused -> new ArrayList<>()).add(peer);
            peer.met().forEach(address -> metAt(address, peer));
        }
    }

    /** Nothing holds it any more. */
    void released(final Peer peer) {
        past.addLast(peer);
        if (past.size() > MOST_PAST) {
            final Peer oldest = past.removeFirst();
            byInstance.computeIfPresent(oldest.instance(), (instance, same) -> {
                same.remove(oldest);
                return same.isEmpty() ? null : same;
            });
            oldest.met().forEach(address -> metNoMore(address, oldest));
        }
    }

    void metAt(final InetAddress address, final Peer peer) {
        byMet.computeIfAbsent(address, unused -> new HashSet<>()).add(peer);
    }

    void metNoMore(final InetAddress address, final Peer peer) {
        byMet.computeIfPresent(address, (met, there) -> {
            there.remove(peer);
            return there.isEmpty() ? null : there;
        });
    }

    /** At how many addresses bonds were met. */
    int addressesMet() {
        return byMet.size();
    }

    /** How many bonds are known. */
    public int size() {
        return byInstance.values().stream().mapToInt(List::size).sum();
    }

    /** True where a bond was met at that address: an application has accepted it, or connected to it. */
    public boolean isMetAt(final InetAddress address) {
        return byMet.getOrDefault(address, Set.of()).stream().anyMatch(peer -> peer.isMetAt(address));
    }

    /** True where a bond that is known has a member, by its own word, or was met. */
    public boolean isKnownAt(final InetAddress address) {
        return byInstance.values().stream().flatMap(List::stream).anyMatch(peer -> peer.isAt(address));
    }

    /**
     * With a key, who is where a bond was met is not taken for a peer without one: somebody on the path may have taken
     * its record away.
     */
    public boolean isProven(final InetAddress address, final boolean hasKey) {
        return hasKey && isMetAt(address);
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

    /**
     * The bond that opens a connection of the bonds' own from an address, or null for a stranger. With a key it may be
     * one that has not said yet that it has a member there, since the path of its first connection died too early: then
     * it is another peer until it shows a session.
     */
    public @Nullable Peer asking(final long instance, final InetAddress address, final boolean hasKey) {
        final boolean maybe = hasKey
                && byInstance.getOrDefault(instance, List.of()).stream()
                        .anyMatch(peer -> peer.isHeld() && peer.mayBeAt(address));
        return maybe ? at(instance, address) : find(instance, address);
    }

    /** True where the bond of that instance was met at that address, and may be there still. */
    public boolean isMetAt(final long instance, final InetAddress address) {
        return byMet.getOrDefault(address, Set.of()).stream()
                .anyMatch(peer -> peer.instance() == instance && peer.isMetAt(address));
    }

    /** Where a bond can be reached that was met at an address: that address first, then those of its members. */
    public List<InetAddress> addressesOf(final InetAddress known) {
        return addressesOf(known, peer -> true);
    }

    /** The same of bonds that something holds. Where others were, another host may be by now. */
    public List<InetAddress> heldAddressesOf(final InetAddress known) {
        return addressesOf(known, Peer::isHeld);
    }

    private List<InetAddress> addressesOf(final InetAddress known, final Predicate<Peer> which) {
        final List<InetAddress> addresses = new ArrayList<>(List.of(known));
        for (final List<Peer> peers : byInstance.values()) {
            for (final Peer peer : peers) {
                if (peer.isMetAt(known) && which.test(peer)) {
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
