package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.VerbFailure;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open objects that refer to an object, in the order they were made; it cannot be closed before them. Any
 * thread.
 */
final class Children {
    private final Set<Object> open = new LinkedHashSet<>();

    synchronized void add(final Object child) {
        open.add(child);
    }

    synchronized void remove(final Object child) {
        open.remove(child);
    }

    synchronized boolean isEmpty() {
        return open.isEmpty();
    }

    /** The only one, or null where there are more or none. */
    synchronized @Nullable Object only() {
        return open.size() == 1 ? first() : null;
    }

    private synchronized @Nullable Object first() {
        final Iterator<Object> all = open.iterator();
        return all.hasNext() ? all.next() : null;
    }

    /** With a copy: the action may remove. */
    void forEach(final Consumer<Object> action) {
        final List<Object> now;
        synchronized (this) {
            now = List.copyOf(open);
        }
        now.forEach(action);
    }

    synchronized int count() {
        return open.size();
    }

    /** @throws io.vhca.api.VerbsException EBUSY, naming one */
    void requireNone(final String verb, final Object parent) {
        final Object child = first();
        if (child != null) {
            final int others = count() - 1;
            throw VerbFailure.busy(
                    verb,
                    parent.toString(),
                    child + (others > 0 ? " and " + others + " more objects" : "") + " still open: close first");
        }
    }
}
