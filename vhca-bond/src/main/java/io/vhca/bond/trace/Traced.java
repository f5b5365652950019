package io.vhca.bond.trace;

import org.jspecify.annotations.Nullable;

/** An object of the data path, which is told who takes what it does instead of asking. */
public interface Traced {
    /** The event by which it is judged whether it tells anything. */
    int tracedEvent();

    /** What it tells of; {@link TraceObject#NONE} where that is another one each time. */
    long tracedObject();

    /** Whom it tells from now on; null for nobody. Control lock. */
    void traceTo(@Nullable TraceSink sink);
}
