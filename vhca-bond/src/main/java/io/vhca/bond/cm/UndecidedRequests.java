package io.vhca.bond.cm;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the application has not decided on, bounded as a soft device bounds what is half open. Strangers,
 * at whose addresses no bond was met, have their own room: where it is full, the oldest gives up its place that the
 * application has not been told of yet, once it had the time of a turn or two. Known peers have a reserve that no
 * stranger gets into. Control lock.
 *
 * @param <K> a request
 */
final class UndecidedRequests<K> {
    static final int OF_STRANGERS = 256;
    static final int OF_STRANGER = 64;
    static final int OF_KNOWN = 4_096;
    static final int OF_KNOWN_PEER = 1_024;
    /** What waits for less does not give way: the application may be about to take it. */
    static final long PATIENCE_NS = 4_000_000;

    private final Map<K, Waiting> strangers = new LinkedHashMap<>();
    private final Map<K, Waiting> reserve = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> bySource = new HashMap<>();

    private record Waiting(InetAddress from, long sinceNs) {}

    /** True when one more from there finds room without another's place. */
    boolean hasRoom(final InetAddress from, final boolean isKnown) {
        final int ofSource = bySource.getOrDefault(from, 0);
        return isKnown
                ? reserve.size() < OF_KNOWN && ofSource < OF_KNOWN_PEER
                : strangers.size() < OF_STRANGERS && ofSource < OF_STRANGER;
    }

    /**
     * Where a stranger finds no room: whose place it takes, or null.
     *
     * @param isUntold the application has not been told of that request
     */
    @Nullable K victim(
            final InetAddress from, final Predicate<K> isUntold, final long nowNs) {
        final boolean isSourceFull = bySource.getOrDefault(from, 0) >= OF_STRANGER;
        for (final Map.Entry<K, Waiting> one : strangers.entrySet()) {
            final Waiting waiting = one.getValue();
            if (nowNs - waiting.sinceNs < PATIENCE_NS) {
                return null;
            }
            if ((!isSourceFull || waiting.from.equals(from)) && isUntold.test(one.getKey())) {
                return one.getKey();
            }
        }
        return null;
    }

    void add(final K id, final InetAddress from, final boolean isKnown, final long nowNs) {
        (isKnown ? reserve : strangers).put(id, new Waiting(from, nowNs));
        bySource.merge(from, 1, Integer::sum);
    }

    /** It was accepted, refused, withdrawn or closed; nothing happens where it was none of these requests. */
    void remove(final K id) {
        final Waiting ofStranger = strangers.remove(id);
        final Waiting waiting = ofStranger != null ? ofStranger : reserve.remove(id);
        if (waiting != null) {
            bySource.computeIfPresent(waiting.from, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Addresses that something waits from. */
    int sources() {
        return bySource.size();
    }

    int size() {
        return strangers.size() + reserve.size();
    }
}
