package io.vhca.harness.sim.defect;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Context;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;

/** SQ_DRAINED is raised as soon as it is asked for, and not when it is due. */
final class SqDrainedTooEarly implements Defect {
    @Override
    public Context bond(final Context bond) {
        return new HastyBond(bond).context();
    }

    private static final class HastyBond extends MemberProxy {
        private final Deque<QueuePair> asked = new ArrayDeque<>();

        HastyBond(final Context bond) {
            super(bond);
        }

        @Override
        protected Object onContextCall(final Context real, final Method method, final Object[] arguments)
                throws Throwable {
            if (!method.getName().equals("getAsyncEvent")) {
                return call(real, method, arguments);
            }
            if (!asked.isEmpty()) {
                return AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, asked.remove());
            }
            Object event = call(real, method, arguments);
            while (event instanceof AsyncEvent one && one.type() == AsyncEventType.SQ_DRAINED) {
                event = call(real, method, arguments);
            }
            return event;
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = call(real, method, arguments);
            if (method.getName().equals("modify") && arguments[0] instanceof QpAttributes change
                    && change.qpState() == QpState.SQD && change.enSqdAsyncNotify() != 0) {
                asked.add(real);
            }
            return result;
        }
    }
}
