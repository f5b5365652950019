package io.vhca.bond.core;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Leaks;
import io.vhca.bond.memory.MemoryTracker;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What an application has made of a bond and not closed yet. Control lock. */
public final class OpenObjects {
    /** So many are named. */
    private static final int MOST_NAMED = 16;

    private final BondCore core;
    private final MemoryTracker memory;
    private final Set<Object> objects = new LinkedHashSet<>();

    public OpenObjects(final BondCore core) {
        this.core = core;
        memory = core.memory();
    }

    public <T> T add(final T object) {
        objects.add(object);
        memory.beginOfApplication(object);
        return object;
    }

    /** Those of a kind. */
    public <T> List<T> all(final Class<T> kind) {
        assert core.holdsLock();
        return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    public void remove(final Object object) {
        objects.remove(object);
        memory.end(object);
    }

    /**
     * The bond is to be closed, which it is only when there are none. Where the option {@code leaks} says so, those
     * that there are are told of and closed.
     *
     * @throws VerbsException EBUSY, naming them
     */
    public void requireNone() {
        assert core.holdsLock();
        if (objects.isEmpty()) {
            return;
        }
        final List<MemoryTracker.Open> left = memory.ofApplication();
        if (core.config().get(BondOption.LEAKS) == Leaks.FAIL) {
            throw new VerbsException(
                    "closeDevice", Errno.EBUSY, core.name(), left.size() + " objects are still open: "
                            + named(left) + "; close them first");
        }
        core.events().leaks(left.stream().map(MemoryTracker.Open::toString).toList());
        for (final MemoryTracker.Open one : left) {
            close(one);
        }
        if (!objects.isEmpty()) {
            throw new VerbsException(
                    "closeDevice", Errno.EBUSY, core.name(), "objects that were left open could not be closed: "
                            + named(memory.ofApplication()));
        }
    }

    private static String named(final List<MemoryTracker.Open> left) {
        final String names = String.join(
                ", ", left.stream().limit(MOST_NAMED).map(MemoryTracker.Open::toString).toList());
        return left.size() > MOST_NAMED ? names + " and " + (left.size() - MOST_NAMED) + " more" : names;
    }

    private void close(final MemoryTracker.Open one) {
        try {
            if (one.object() instanceof AutoCloseable object) {
                object.close();
            }
        } catch (final VerbsException e) {
            core.counters().ignored(e);
        } catch (final Exception e) {
            throw new IllegalStateException(one + " could not be closed", e);
        }
    }
}
