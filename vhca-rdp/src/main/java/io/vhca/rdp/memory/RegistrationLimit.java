package io.vhca.rdp.memory;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.RdpCounters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** Makes room for so many bytes; false where what is in use leaves none. */
    boolean makeRoom(final long lengthBytes) {
        while (counters.get(Counter.REGISTERED_MEMORY) + lengthBytes > mostBytes) {
            final RegistrationCache cache = withOldest();
            if (cache == null) {
                return false;
            }
            cache.dropOldest();
        }
        return true;
    }

    /** Which cache has what was used longest ago and is not in use; null where all is. */
    private @Nullable RegistrationCache withOldest() {
        RegistrationCache first = null;
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
