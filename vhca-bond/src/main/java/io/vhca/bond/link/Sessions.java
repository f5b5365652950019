package io.vhca.bond.link;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a bond knows, live or over. Control lock.
 */
public final class Sessions {
    /** With the bond at the other end, which is held as long. */
    private final Map<SessionId, Peer> live = new HashMap<>();
    private final Tombstones ended = new Tombstones();

    /** A vQP is connected; where its numbers were used before, that end is forgotten. */
    public void begin(final SessionId session, final Peer peer) {
        peer.hold();
        final Peer before = live.put(session, peer);
        if (before != null) {
            before.release();
        }
        ended.forget(session);
    }

    /** A live session is another bond's than was believed. */
    public void isOf(final SessionId session, final Peer peer) {
        final Peer before = live.replace(session, peer);
        if (before != null) {
            peer.hold();
            before.release();
        }
    }

    /** The vQP is gone or begins anew. */
    public void leave(final SessionId session) {
        final Peer peer = live.remove(session);
        if (peer != null) {
            peer.release();
        }
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
        return live.containsKey(session) || ended.find(session) != null;
    }
}
