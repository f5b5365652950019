package io.vhca.bond.link;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SealedRecord;
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
    private final Tombstones ended;
    private final boolean isNamed;
    private final Map<Name, SessionId> byName = new HashMap<>();
    private final Map<SessionId, Name> names = new HashMap<>();

    /** What a record says of a session that it does not show. */
    private record Name(int qpNum, int hint) {}

    /**
     * As yet none.
     *
     * @param isNamed whether records do not show their session, so that it is looked up by name
     */
    public Sessions(final boolean isNamed) {
        this.isNamed = isNamed;
        ended = new Tombstones(this::forgetName);
    }

    /** A vQP is connected; where its numbers were used before, that end is forgotten. */
    public void begin(final SessionId session, final Peer peer, final int qpNum) {
        peer.hold();
        final Peer before = live.put(session, peer);
        if (before != null) {
            before.release();
        }
        ended.forget(session);
        expect(session, qpNum);
    }

    /** A vQP is being connected, and its peer may know it already. */
    public void expect(final SessionId session, final int qpNum) {
        if (isNamed && !names.containsKey(session)) {
            final Name name = new Name(qpNum, SealedRecord.hint(session));
            byName.put(name, session);
            names.put(session, name);
        }
    }

    /** The session of an own vQP that a record means; which proves that. Null where there is none. */
    public @Nullable SessionId find(final int qpNum, final int hint) {
        return byName.get(new Name(qpNum, hint));
    }

    private void forgetName(final SessionId session) {
        final Name name = names.remove(session);
        if (name != null) {
            byName.remove(name, session);
        }
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
        if (ended.find(session) == null) {
            forgetName(session);
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
