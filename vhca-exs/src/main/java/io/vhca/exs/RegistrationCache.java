package io.vhca.exs;

import io.vhca.api.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Registrations of memory that programs did not register: kept for the next call with the same memory while its scope
 * lives, the longest unused goes first. They keep the scope, and what only the garbage collector frees lives as long as
 * they do: their bytes are bounded as well as their number. Memory of the global scope may be unmapped without notice
 * and is registered for one call only. The driver's lock.
 */
final class RegistrationCache {
    private static final int MOST = 64;
    /** Beside what was used last. */
    static final long MOST_BYTES = 256L << 20;

    private record Place(long address, long length, boolean isReadOnly) {}

    /** The scope is kept: what only the garbage collector frees stays while it is registered. */
    private record Entry(MemorySegment.Scope scope, ExsMemory memory) {}

    private final Driver driver;
    private final long mostBytes;
    private long bytes;
    private final Map<Place, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final List<Entry> single = new ArrayList<>();

    /** @param mostBytes that may be kept for the next call */
    RegistrationCache(final Driver driver, final long mostBytes) {
        this.driver = driver;
        this.mostBytes = mostBytes;
    }

    /** Registered memory for a call; {@link ExsMemory#use} is the caller's to say. */
    ExsMemory of(final String call, final MemorySegment segment) {
        closeUnused();
        if (segment.scope().equals(Arena.global().scope())) {
            return registerOnce(call, segment);
        }
        final Place place = new Place(segment.address(), segment.byteSize(), segment.isReadOnly());
        final Entry known = entries.get(place);
        if (known != null && known.scope.equals(segment.scope())) {
            return known.memory;
        }
        if (known != null && known.memory.uses() > 0) {
            // The old one's memory is gone, and its call does not know.
            return registerOnce(call, segment);
        }
        if (known != null) {
            known.memory.close();
            entries.remove(place);
            bytes -= place.length;
        }
        final ExsMemory memory = register(call, segment);
        entries.put(place, new Entry(segment.scope(), memory));
        bytes += place.length;
        return memory;
    }

    private ExsMemory registerOnce(final String call, final MemorySegment segment) {
        final ExsMemory memory = register(call, segment);
        single.add(new Entry(segment.scope(), memory));
        return memory;
    }

    private ExsMemory register(final String call, final MemorySegment segment) {
        final MemoryRegion region = driver.register(call, segment);
        return new ExsMemory(driver, region, segment.isReadOnly());
    }

    private void closeUnused() {
        for (final Iterator<Entry> it = single.iterator(); it.hasNext(); ) {
            final ExsMemory memory = it.next().memory;
            if (memory.uses() == 0) {
                memory.close();
                it.remove();
            }
        }
        for (final Iterator<Map.Entry<Place, Entry>> it = entries.entrySet().iterator(); it.hasNext(); ) {
            final Map.Entry<Place, Entry> next = it.next();
            final Entry entry = next.getValue();
            final boolean isMuch = entries.size() > MOST || bytes > mostBytes && it.hasNext();
            if ((isMuch || !entry.scope.isAlive()) && entry.memory.uses() == 0) {
                entry.memory.close();
                bytes -= next.getKey().length;
                it.remove();
            }
        }
    }

    /** Nothing uses any of it any more. */
    void close() {
        entries.values().forEach(entry -> entry.memory.close());
        single.forEach(entry -> entry.memory.close());
        entries.clear();
        single.clear();
    }
}
