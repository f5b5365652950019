package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The receives that a physical queue pair has before it is connected reach its hardware later: with the next call once
 * it is in RTS, by when the peer may have sent. The bond keeps them where they are until they are consumed.
 */
final class ReceivesPostedLate implements Defect {
    @Override
    public Context member(final Context device) {
        return new SlowMember(device).context();
    }

    private static final class SlowMember extends MemberProxy {
        private final Map<QueuePair, Long> kept = new IdentityHashMap<>();

        SlowMember(final Context device) {
            super(device);
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            final QpState state = real.state();
            final boolean isRecv = method.getName().equals("postRecv") && arguments[0] instanceof Long;
            final Long before = state == QpState.RTS || isRecv ? kept.remove(real) : null;
            if (before != null) {
                real.postRecv(before.longValue());
            } else if (isRecv && (state == QpState.INIT || state == QpState.RTR)) {
                kept.put(real, (Long) arguments[0]);
                return length((Long) arguments[0]);
            }
            return call(real, method, arguments);
        }

        private static int length(final long first) {
            int count = 0;
            for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
                count++;
            }
            return count;
        }
    }
}
