package io.vhca.rdp.memory;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.RdpCounters;
import java.util.ArrayList;
import java.util.List;

/**
 * How much the caches of one driver may keep registered together. Beyond that goes what was used longest ago, whichever
 * of them has it. One thread at a time.
 */
final class RegistrationLimit {
    private final RdpCounters counters;
    private final List<RegistrationCache> caches = new ArrayList<>();
    private long mostBytes;
    private long clock;

    RegistrationLimit(final RdpCounters counters, final long mostBytes) {
        this.counters = counters;
        this.mostBytes = mostBytes;
    }

    /** It holds for that one too. */
    void covers(final RegistrationCache cache) {
        caches.add(cache);
    }

    /** Another one, from the next registration on. */
    void mostBytes(final long bytes) {
        mostBytes = bytes;
    }

    /** When something is used: later than all uses before, of any cache. */
    long nextUse() {
        return ++clock;
    }

    private boolean isRoomFor(final long lengthBytes) {
        return counters.get(Counter.REGISTERED_MEMORY) + lengthBytes <= mostBytes;
    }

    /** Whether there is room for so many bytes, or would be where all went that is not in use. */
    boolean canHold(final long lengthBytes) {
        if (isRoomFor(lengthBytes)) {
            return true;
        }
        long idle = 0;
        for (final RegistrationCache cache : caches) {
            idle += cache.idleBytes();
        }
        return isRoomFor(lengthBytes - idle);
    }

    /** Makes room for so many bytes, which it {@link #canHold}. */
    void makeRoom(final long lengthBytes) {
        assert canHold(lengthBytes) : "what goes makes no room";
        while (!isRoomFor(lengthBytes)) {
            withOldest().dropOldest();
        }
    }

    /** Which cache has what was used longest ago and is not in use; there is one. */
    private RegistrationCache withOldest() {
        RegistrationCache first = caches.getFirst();
        long firstUse = RegistrationCache.NEVER;
        for (final RegistrationCache cache : caches) {
            final long use = cache.oldestUse();
            if (use < firstUse) {
                first = cache;
                firstUse = use;
            }
        }
        return first;
    }
}
