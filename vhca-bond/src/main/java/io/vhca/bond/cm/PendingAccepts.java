package io.vhca.bond.cm;

import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.recovery.wire.SessionId;
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

    private record Waiting(FirstAccept accept, long deadlineNs) {}

    /** The requests that the application has to decide on. */
    UndecidedRequests<VirtualCmId<?>> undecided() {
        return undecided;
    }

    /** The id that was made for a session, or null. */
    public @Nullable BondCmId find(final SessionId session) {
        return bySession.get(session);
    }

    void add(final SessionId session, final BondCmId id) {
        final BondCmId before = bySession.put(session, id);
        assert before == null : "a session that is asked for again is the same id's";
    }

    void remove(final SessionId session) {
        bySession.remove(session);
    }

    /** False where the session is another id's by now, or nobody's. */
    boolean remove(final SessionId session, final BondCmId id) {
        return bySession.remove(session, id);
    }

    /** Gives the accept up unless the peer has asked again by then. */
    void giveUpAt(final FirstAccept accept, final long deadlineNs) {
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
