package io.vhca.disni;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The objects behind the numbers that DiSNI passes where C has pointers. A number is a place and how often that place
 * was used, so that one that is stale finds nothing. Owns nothing.
 *
 * <p>Any thread. {@link #get} is one read of an array: posts and polls go through it.
 */
final class HandleTable {
    /** Answer to DiSNI where there is no such object. */
    static final long NONE = -1;

    private static final int PLACE_BITS = 24;
    private static final int MOST = 1 << PLACE_BITS;
    /** At first. */
    private static final int PLACES = 64;

    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final IntFunction<AtomicReferenceArray<@Nullable Entry>> maker;
    private volatile AtomicReferenceArray<@Nullable Entry> entries;
    private int used;
    private long uses;

    /** What is at a place. */
    record Entry(long handle, Object object) {}

    HandleTable() {
        this(AtomicReferenceArray::new);
    }

    /** @param maker makes the places; a test has it fail */
    HandleTable(final IntFunction<AtomicReferenceArray<@Nullable Entry>> maker) {
        this.maker = maker;
        entries = maker.apply(PLACES);
    }

    /** Gives the object a number, above zero. */
    synchronized long put(final Object object) {
        final Integer freed = free.peek();
        final int place = freed != null ? freed : used;
        if (place == MOST) {
            throw new VerbsException("create", Errno.ENOMEM, "DiSNI", MOST + " objects are open; close some");
        }
        AtomicReferenceArray<@Nullable Entry> table = entries;
        if (place == table.length()) {
            final AtomicReferenceArray<@Nullable Entry> larger = maker.apply(2 * table.length());
            for (int i = 0; i < place; i++) {
                larger.setPlain(i, table.getPlain(i));
            }
            entries = larger;
            table = larger;
        }
        // 2^39 uses fit above the place, and the number stays positive.
        final long handle = ++uses << PLACE_BITS | place;
        assert handle > 0 : "numbers are used up";
        table.set(place, new Entry(handle, object));
        // The place is taken where all went well: there may be no memory for what is made above.
        if (freed != null) {
            free.remove();
        } else {
            used++;
        }
        return handle;
    }

    /** The object of that kind with that number, or null. */
    <T> @Nullable T get(final long handle, final Class<T> kind) {
        final AtomicReferenceArray<@Nullable Entry> table = entries;
        final int place = (int) handle & MOST - 1;
        final Entry entry = handle > 0 && place < table.length() ? table.get(place) : null;
        return entry != null && entry.handle == handle && kind.isInstance(entry.object)
                ? kind.cast(entry.object)
                : null;
    }

    /**
     * The object of that kind with that number.
     *
     * @throws VerbsException EINVAL where it is closed or was never there
     */
    <T> T require(final String verb, final long handle, final Class<T> kind) {
        final T object = get(handle, kind);
        if (object == null) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    kind.getSimpleName() + " 0x" + Long.toHexString(handle),
                    "it is closed, or was never open");
        }
        return object;
    }

    /**
     * Forgets the number.
     *
     * @return false when it was forgotten before
     */
    synchronized boolean remove(final long handle) {
        if (get(handle, Object.class) == null) {
            return false;
        }
        final int place = (int) handle & MOST - 1;
        entries.set(place, null);
        free.add(place);
        return true;
    }

    /** How many objects there are. */
    synchronized int size() {
        return used - free.size();
    }
}
