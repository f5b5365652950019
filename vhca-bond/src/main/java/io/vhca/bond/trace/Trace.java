package io.vhca.bond.trace;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the parts of one bond tell what they do, and what of it is passed on. Objects of the data path are told when
 * that changes, so that they have nothing to ask.
 *
 * <p>Threads: {@link #say} any; all else needs the control lock.
 */
public final class Trace {
    private final Set<Traced> objects = new LinkedHashSet<>();
    private volatile TraceLevels levels;
    private volatile @Nullable TraceSink sink;

    public Trace(final TraceLevels levels) {
        this.levels = levels;
    }

    /** An operator changed what is traced. */
    public void levels(final TraceLevels changed) {
        levels = changed;
        objects.forEach(this::tell);
    }

    /** Everything goes there from now on; null for nowhere. */
    public void to(final @Nullable TraceSink changed) {
        sink = changed;
        objects.forEach(this::tell);
    }

    /** An object of the data path begins. */
    public void add(final Traced object) {
        objects.add(object);
        tell(object);
    }

    /** It is no more: it tells nobody when this returns. */
    public void remove(final Traced object) {
        objects.remove(object);
        object.traceTo(null);
    }

    private void tell(final Traced object) {
        final TraceLevels now = levels;
        final TraceSink to = sink;
        final int event = object.tracedEvent();
        if (to == null) {
            object.traceTo(null);
        } else if (object.tracedObject() != TraceObject.NONE) {
            object.traceTo(now.shows(event, object.tracedObject()) ? to : null);
        } else {
            object.traceTo(now.isByObject() && now.mayShow(event) ? new Chosen(now, to)
                    : now.shows(event, TraceObject.NONE) ? to : null);
        }
    }

    /** Something happened. Any thread. */
    public void say(
            final int event, final long object, final long word0, final long word1, final long word2,
            final long word3) {
        final TraceSink to = sink;
        if (to != null && levels.shows(event, object)) {
            to.record(event, object, word0, word1, word2, word3);
        }
    }

    /** Passes on what is asked for of each object. */
    private record Chosen(TraceLevels levels, TraceSink to) implements TraceSink {
        @Override
        public void record(
                final int event, final long object, final long word0, final long word1, final long word2,
                final long word3) {
            if (levels.shows(event, object)) {
                to.record(event, object, word0, word1, word2, word3);
            }
        }

        @Override
        public void idle() {
            to.idle();
        }
    }
}
