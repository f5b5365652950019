package io.vhca.bond.link;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a bond knows, live or over. Control lock.
 */
public final class Sessions {
    private final Set<SessionId> live = new HashSet<>();
    private final Tombstones ended = new Tombstones();

    /** A vQP is connected; where its numbers were used before, that end is forgotten. */
    public void begin(final SessionId session) {
        live.add(session);
        ended.forget(session);
    }

    /** The vQP is gone or begins anew. */
    public void leave(final SessionId session) {
        live.remove(session);
    }

    /** The session is over: what a peer is told that asks later. The first end stays. */
    public void end(final SessionId session, final RejectCode answer) {
        ended.bury(session, answer);
    }

    /** How the session ended, or null. */
    public @Nullable RejectCode endOf(final SessionId session) {
        return ended.find(session);
    }

    /** Whether the session was ever connected here, as far as is remembered. */
    public boolean isKnown(final SessionId session) {
        return live.contains(session) || ended.find(session) != null;
    }
}
