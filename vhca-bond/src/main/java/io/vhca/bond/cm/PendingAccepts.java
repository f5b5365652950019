package io.vhca.bond.cm;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Sessions;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Passive connects that the application has not seen established yet, and those among them whose answer was not
 * confirmed: the peer may ask again until a deadline. Control lock.
 */
public final class PendingAccepts implements DutyCycle {
    private final Map<SessionId, BondCmId> bySession = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final UndecidedRequests<VirtualCmId<?>> undecided = new UndecidedRequests<>();
    private final BondCore core;
    private final Sessions sessions;

    private record Waiting(FirstAccept accept, long deadlineNs) {}

    public PendingAccepts(final BondCore core, final Sessions sessions) {
        this.core = core;
        this.sessions = sessions;
    }

    /** The requests that the application has to decide on. */
    UndecidedRequests<VirtualCmId<?>> undecided() {
        return undecided;
    }

    /** The id that was made for a session, or null. */
    public @Nullable BondCmId find(final SessionId session) {
        return bySession.get(session);
    }

    /**
     * A REQ is taken, and none of the same name again.
     *
     * @param name what it shows in place of the session; without a key the session
     */
    void add(final SessionId session, final SessionId name, final BondCmId id) {
        core.proofs().take(name);
        final BondCmId before = bySession.put(session, id);
        assert before == null : "a session that is asked for again is the same id's";
    }

    /** Nobody was told of it: it is to come again, by the same name. */
    void giveBack(final SessionId name) {
        core.proofs().giveBack(name);
    }

    /** It is accepted: from now on the peer may know that, and ask to recover it. */
    void answered(final SessionId session, final int qpNum) {
        sessions.expect(session, qpNum);
    }

    /** The peer asks to recover a session; false where no answer to it was sent. */
    boolean recovered(final SessionRecord record, final PathLink link, final long nowNs) {
        final BondCmId accepting = find(record.request().session());
        return accepting != null && accepting.recovered(record, link, nowNs);
    }

    /** It is established. */
    void established(final SessionId session) {
        bySession.remove(session);
    }

    /** Nothing comes of it; false where the session is another id's by now, or nobody's. */
    boolean remove(final SessionId session, final BondCmId id) {
        final boolean isGone = bySession.remove(session, id);
        if (isGone) {
            sessions.leave(session);
        }
        return isGone;
    }

    /** The application has ended what it accepted: the peer, who may be established, is told so when it asks. */
    void end(final SessionId session, final BondCmId id) {
        if (bySession.get(session) == id) {
            sessions.end(session, RejectCode.CLOSED);
            remove(session, id);
        }
    }

    /** Gives the accept up unless the peer has asked again by then; an earlier deadline of it counts no more. */
    void giveUpAt(final FirstAccept accept, final long deadlineNs) {
        waiting.removeIf(one -> one.accept == accept);
        waiting.add(new Waiting(accept, deadlineNs));
    }

    @Override
    public int doWork(final long nowNs) {
        int count = 0;
        for (final Waiting one : List.copyOf(waiting)) {
            if (nowNs - one.deadlineNs >= 0) {
                waiting.remove(one);
                one.accept.giveUp();
                count++;
            }
        }
        return count;
    }

    @Override
    public long nextDeadlineNs() {
        final EarliestDeadline next = new EarliestDeadline();
        waiting.forEach(one -> next.add(one.deadlineNs));
        return next.atNs();
    }
}
