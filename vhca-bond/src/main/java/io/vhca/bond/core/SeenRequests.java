package io.vhca.bond.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which REQs that open a connection were taken, of each bond that sent one: a bond counts them, and none is taken
 * twice. Bounded; of what is forgotten nothing is taken either: a count below those remembered is refused, and who is
 * not remembered must show another nonce ({@link #nonce}). Control lock.
 */
final class SeenRequests {
    /** So many connections another bond may open while the answer to one of them is on the way. */
    static final int MOST_OF_A_BOND = 1_024;

    static final int MOST_BONDS = 256;

    private final LinkedHashMap<Long, Seen> bonds = new LinkedHashMap<>(16, 0.75f, true);
    private long forgotten;

    /** Of one bond, which is asked again and again. */
    private static final class Seen {
        private final TreeSet<Long> counts = new TreeSet<>(Long::compareUnsigned);
        private final long generation;
        private long floor;
        private byte @Nullable [] nonce;

        Seen(final long generation) {
            this.generation = generation;
        }
    }

    /**
     * The nonce for a bond, made once for one that is remembered.
     *
     * @param maker makes it of a number that is another one after the bond was forgotten
     */
    byte[] nonce(final long instance, final LongFunction<byte[]> maker) {
        final Seen seen = bonds.get(instance);
        if (seen == null) {
            return maker.apply(forgotten);
        }
        final byte[] known = seen.nonce == null ? maker.apply(seen.generation) : seen.nonce;
        seen.nonce = known;
        return known;
    }

    boolean contains(final long instance, final long count) {
        final Seen seen = bonds.get(instance);
        return seen != null && (Long.compareUnsigned(count, seen.floor) <= 0 || seen.counts.contains(count));
    }

    /** Nothing came of it, and it may come again; what is below those remembered may not. */
    void remove(final long instance, final long count) {
        final Seen seen = bonds.get(instance);
        if (seen != null) {
            seen.counts.remove(count);
        }
    }

    void add(final long instance, final long count) {
        final Seen seen = bonds.computeIfAbsent(instance, unused -> new Seen(forgotten));
        seen.counts.add(count);
        if (seen.counts.size() > MOST_OF_A_BOND) {
            seen.floor = seen.counts.pollFirst();
        }
        if (bonds.size() > MOST_BONDS) {
            final Map.Entry<Long, Seen> eldest = bonds.firstEntry();
            bonds.remove(eldest.getKey());
            forgotten++;
        }
    }
}
