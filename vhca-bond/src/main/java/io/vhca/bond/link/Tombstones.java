package io.vhca.bond.link;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How sessions that are no more have ended, for peers that ask later. Bounded: the oldest is forgotten. Control lock.
 */
public final class Tombstones {
    private static final int LIMIT = 4096;

    private final LinkedHashMap<SessionId, RejectCode> ends = new LinkedHashMap<>();
    private final Consumer<SessionId> forgotten;

    /** @param forgotten is told of each whose end is remembered no more, for there are too many */
    public Tombstones(final Consumer<SessionId> forgotten) {
        this.forgotten = forgotten;
    }

    public void bury(final SessionId session, final RejectCode answer) {
        ends.putIfAbsent(session, answer);
        if (ends.size() > LIMIT) {
            final Map.Entry<SessionId, RejectCode> eldest = ends.pollFirstEntry();
            forgotten.accept(eldest.getKey());
        }
    }

    /** A session lives again: a queue pair brought up anew with the same numbers. */
    public void forget(final SessionId session) {
        ends.remove(session);
    }

    public @Nullable RejectCode find(final SessionId session) {
        return ends.get(session);
    }
}
