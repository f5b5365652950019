package io.vhca.recovery.proof;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/**
 * The keys that a bond has: for all of its peers, and others for some addresses. The newest of two signs, both verify.
 * Immutable; the keys in it are their owner's, see {@link AuthKey}.
 */
public final class KeyRing {
    /** Of a bond without a key: it proves nothing and asks for no proof. */
    public static final KeyRing NONE = new KeyRing(List.of(), Map.of());

    /** While a key is changed for another, a bond has two. */
    public static final int MOST_KEYS = 2;

    private final List<AuthKey> forAll;
    private final Map<InetAddress, List<AuthKey>> forPeers;

    /**
     * A ring.
     *
     * @param forAll   of peers that have none of their own, newest first; empty where such are refused
     * @param forPeers of one peer's address each, newest first
     * @throws IllegalArgumentException for more than {@link #MOST_KEYS} of one peer
     */
    public KeyRing(final List<AuthKey> forAll, final Map<InetAddress, List<AuthKey>> forPeers) {
        if (forAll.size() > MOST_KEYS || forPeers.values().stream().anyMatch(keys -> keys.size() > MOST_KEYS)) {
            throw new IllegalArgumentException("more than " + MOST_KEYS + " keys for one peer");
        }
        this.forAll = List.copyOf(forAll);
        this.forPeers = Map.copyOf(forPeers);
    }

    /** True where there is no key at all. */
    public boolean isEmpty() {
        return forAll.isEmpty() && forPeers.isEmpty();
    }

    /** The keys for a peer at an address, newest first. */
    public List<AuthKey> keysOf(final InetAddress peer) {
        return forPeers.getOrDefault(peer, forAll);
    }
}
