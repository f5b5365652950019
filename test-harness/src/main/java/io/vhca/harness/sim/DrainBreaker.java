package io.vhca.harness.sim;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Context;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Stands between an application and its bond: a bond that does not keep what SQD promises. The simulator breaks bonds
 * with it, to see that the checkers notice.
 */
final class DrainBreaker extends MemberProxy {
    private final Mutation mutation;
    private final Deque<QueuePair> early = new ArrayDeque<>();
    private final Set<QueuePair> paused = Collections.newSetFromMap(new IdentityHashMap<>());

    DrainBreaker(final Context bond, final Mutation mutation) {
        super(bond);
        this.mutation = mutation;
    }

    /** Whether a mutation is one of these. */
    static boolean does(final Mutation mutation) {
        return mutation == Mutation.SQD_LETS_THROUGH || mutation == Mutation.SQ_DRAINED_TOO_EARLY;
    }

    @Override
    Object onContextCall(final Context real, final Method method, final Object[] arguments) throws Throwable {
        if (!method.getName().equals("getAsyncEvent")) {
            return call(real, method, arguments);
        }
        if (!early.isEmpty()) {
            return AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, early.remove());
        }
        Object event = call(real, method, arguments);
        while (event instanceof AsyncEvent one && one.type() == AsyncEventType.SQ_DRAINED) {
            event = call(real, method, arguments);
        }
        return event;
    }

    @Override
    Object onQpCall(final QueuePair real, final Method method, final Object[] arguments) throws Throwable {
        if (!method.getName().equals("modify") || !(arguments[0] instanceof QpAttributes change)) {
            return call(real, method, arguments);
        }
        if (mutation == Mutation.SQ_DRAINED_TOO_EARLY) {
            final Object result = call(real, method, arguments);
            if (change.qpState() == QpState.SQD && change.enSqdAsyncNotify() != 0) {
                early.add(real);
            }
            return result;
        }
        if (change.qpState() == QpState.SQD) {
            paused.add(real);
            return Absent.NOTHING;
        }
        return paused.remove(real) && change.qpState() == QpState.RTS
                ? Absent.NOTHING
                : call(real, method, arguments);
    }
}
