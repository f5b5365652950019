package io.vhca.bond.core;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.LinkedHashSet;
import java.util.Set;

/** What an application has made of a bond and not closed yet. Control lock. */
public final class OpenObjects {
    private final Set<Object> objects = new LinkedHashSet<>();

    public <T> T add(final T object) {
        objects.add(object);
        return object;
    }

    public void remove(final Object object) {
        objects.remove(object);
    }

    /** Throws EBUSY, naming one, when there are any. */
    public void requireNone(final String bond) {
        if (!objects.isEmpty()) {
            throw new VerbsException(
                    "closeDevice",
                    Errno.EBUSY,
                    bond,
                    objects.size() + " objects are still open, among them a "
                            + objects.iterator().next().getClass().getSimpleName() + "; close them first");
        }
    }
}
