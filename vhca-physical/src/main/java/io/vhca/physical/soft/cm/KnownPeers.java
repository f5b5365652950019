package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The addresses whose owner is known to hear what is sent there: a connection with them was established, which takes an
 * answer to a message that was sent there. Who has no connection any more is forgotten when {@link #MOST_PAST} others
 * came later. Guarded by the lock of the {@link CommunicationManager}, unless a method says otherwise.
 */
final class KnownPeers {
    static final int MOST_PAST = 1024;

    /** How many connections are established, by address. */
    private final Map<Gid, Integer> connected = new ConcurrentHashMap<>();
    /** Those whose last connection ended, in that order. */
    private final SequencedSet<Gid> past = new LinkedHashSet<>();

    /** True for a peer that answered before. */
    boolean isKnown(final Gid peer) {
        return connected.containsKey(peer) || past.contains(peer);
    }

    /** True while a connection with that peer is established. Any thread. */
    boolean isConnected(final Gid peer) {
        return connected.containsKey(peer);
    }

    /** A connection is established. */
    void add(final Gid peer) {
        connected.merge(peer, 1, Integer::sum);
        past.remove(peer);
    }

    /** An established connection ended. */
    void remove(final Gid peer) {
        assert connected.containsKey(peer) : "the connection was not counted";
        connected.computeIfPresent(peer, (address, count) -> count == 1 ? null : count - 1);
        if (!connected.containsKey(peer)) {
            past.add(peer);
            if (past.size() > MOST_PAST) {
                past.removeFirst();
            }
        }
    }
}
