package io.vhca.rdp.memory;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.RdpCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Registrations of the application's memory, kept after their use: memory that is sent from again is not registered
 * again. They do not overlap. Beyond their limit those that were used longest ago go. Who gives memory back to the
 * system says so before, by {@link #forget}. One thread at a time.
 */
public final class RegistrationCache {
    /** Later than all uses. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int FIRST_SIZE = 16;

    /** One registration. */
    public static final class Entry {
        private final long address;
        private final long end;
        private final Registrar.Registered memory;
        private int uses;
        private boolean wasSentFrom;
        /** It is in the cache no longer, and goes with its last use. */
        private boolean isStale;
        private long usedAt;

        private Entry(final long address, final long end, final Registrar.Registered memory) {
            this.address = address;
            this.end = end;
            this.memory = memory;
        }

        public int lkey() {
            return memory.lkey();
        }

        public int rkey() {
            return memory.rkey();
        }
    }

    private final Registrar registrar;
    private final RdpCounters counters;
    private final boolean isWritable;
    private final RegistrationLimit limit;
    private Entry[] entries = new Entry[FIRST_SIZE];
    private int count;
    /** Those that are in use and will not be used again. */
    private final List<Entry> stale = new ArrayList<>();

    /** One of memory that is sent from. */
    public RegistrationCache(final Registrar registrar, final RdpCounters counters, final long mostBytes) {
        this(registrar, counters, new RegistrationLimit(counters, mostBytes), false);
    }

    private RegistrationCache(
            final Registrar registrar, final RdpCounters counters, final RegistrationLimit limit,
            final boolean isWritable) {
        this.registrar = registrar;
        this.counters = counters;
        this.limit = limit;
        this.isWritable = isWritable;
        limit.covers(this);
    }

    /** One of memory that is there for other nodes to write to; what this one may keep is what both may together. */
    public RegistrationCache writable() {
        return new RegistrationCache(registrar, counters, limit, true);
    }

    /** The limit of this one and of that which shares it, from the next registration on. */
    public void mostBytes(final long bytes) {
        limit.mostBytes(bytes);
    }

    /** The first entry that ends behind an address. */
    private int indexOf(final long address) {
        int low = 0;
        int high = count;
        while (low < high) {
            final int middle = low + high >>> 1;
            if (entries[middle].end > address) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The registration of that memory, kept until {@link #release}; null where there is no room for it. */
    public @Nullable Entry acquire(final long address, final long lengthBytes) {
        final int index = indexOf(address);
        final Entry known = index < count ? entries[index] : null;
        final Entry entry = known != null && known.address <= address && address + lengthBytes <= known.end
                ? known
                : register(address, address + lengthBytes);
        if (entry != null) {
            entry.uses++;
            entry.usedAt = limit.nextUse();
        }
        return entry;
    }

    /** A datagram is sent from it: counts whether it was there for an earlier one already. */
    public void sentFrom(final Entry entry) {
        counters.increment(entry.wasSentFrom ? Counter.REGISTRATION_HITS : Counter.REGISTRATION_MISSES);
        entry.wasSentFrom = true;
    }

    public void release(final Entry entry) {
        entry.uses--;
        assert entry.uses >= 0 : "a registration was released more often than it was taken";
        if (entry.uses == 0 && entry.isStale) {
            close(entry);
            stale.remove(entry);
        }
    }

    /** Registers memory together with what overlaps it: a part of each is used, so all of it is there. */
    private @Nullable Entry register(final long from, final long to) {
        final int first = indexOf(from);
        int behind = first;
        while (behind < count && entries[behind].address < to) {
            behind++;
        }
        final long address = first == behind ? from : Math.min(from, entries[first].address);
        final long end = first == behind ? to : Math.max(to, entries[behind - 1].end);
        if (!limit.canHold(end - address)) {
            return null;
        }
        for (int i = behind - 1; i >= first; i--) {
            drop(i);
        }
        limit.makeRoom(end - address);
        final Registrar.Registered memory = registrar.register(address, end - address, isWritable);
        if (memory == null) {
            return null;
        }
        final Entry entry = new Entry(address, end, memory);
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, 2 * count);
        }
        final int at = indexOf(address);
        System.arraycopy(entries, at, entries, at + 1, count - at);
        entries[at] = entry;
        count++;
        counters.add(Counter.REGISTERED_MEMORY, end - address);
        return entry;
    }

    /** Where that one is which was used longest ago, of those that are not in use; -1 where all are. */
    private int oldest() {
        int oldest = -1;
        for (int i = 0; i < count; i++) {
            if (entries[i].uses == 0 && (oldest < 0 || entries[i].usedAt < entries[oldest].usedAt)) {
                oldest = i;
            }
        }
        return oldest;
    }

    /** How much of it is not in use. */
    long idleBytes() {
        long idle = 0;
        for (int i = 0; i < count; i++) {
            idle += entries[i].uses == 0 ? entries[i].end - entries[i].address : 0;
        }
        return idle;
    }

    /** When it was used last; {@link #NEVER} where all are in use. */
    long oldestUse() {
        final int oldest = oldest();
        return oldest < 0 ? NEVER : entries[oldest].usedAt;
    }

    /** It goes; there is one. */
    void dropOldest() {
        drop(oldest());
    }

    private void drop(final int index) {
        final Entry entry = entries[index];
        if (entry.uses == 0) {
            close(entry);
        } else {
            entry.isStale = true;
            stale.add(entry);
        }
        count--;
        System.arraycopy(entries, index + 1, entries, index, count - index);
    }

    /** First of all at the device: an entry that it does not take back stays. */
    private void close(final Entry entry) {
        entry.memory.close();
        counters.add(Counter.REGISTERED_MEMORY, entry.address - entry.end);
    }

    /** Whether a datagram uses that memory, or may. */
    public boolean isUsed(final long address, final long lengthBytes) {
        final long end = address + lengthBytes;
        for (int i = indexOf(address); i < count && entries[i].address < end; i++) {
            if (entries[i].uses > 0) {
                return true;
            }
        }
        for (final Entry entry : stale) {
            if (entry.address < end && address < entry.end) {
                return true;
            }
        }
        return false;
    }

    /** The memory is to go: no registration of it stays. Nothing uses it. */
    public void forget(final long address, final long lengthBytes) {
        assert !isUsed(address, lengthBytes) : "memory is to go that a datagram uses";
        final long end = address + lengthBytes;
        for (int i = indexOf(address); i < count && entries[i].address < end; i = indexOf(address)) {
            drop(i);
        }
    }

    /** All connections are gone. */
    public void close() {
        while (count > 0) {
            drop(count - 1);
        }
        for (int i = stale.size() - 1; i >= 0; i--) {
            if (stale.get(i).uses == 0) {
                close(stale.get(i)); // once more
                stale.remove(i);
            }
        }
        assert stale.isEmpty() : "a send of a connection that is gone uses a registration";
    }
}
