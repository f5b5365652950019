package io.vhca.harness.sim.defect;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.harness.sim.proxy.StandIns;
import java.lang.reflect.Method;

/** One wake-up in four of a member's completion channel is not passed on. */
final class WakeUpLost implements Defect {
    private static final int LOST_ONE_IN = 4;

    @Override
    public Context member(final Context device) {
        return new DeafMember(device).context();
    }

    private static final class DeafMember extends StandIns {
        private int wakeUps;

        DeafMember(final Context device) {
            super(device);
        }

        @Override
        protected Object onContextCall(final Context real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = call(real, method, reals(arguments));
            return result instanceof CompletionChannel channel
                    ? stand(CompletionChannel.class, channel, (called, given) -> onChannelCall(channel, called, given))
                    : result;
        }

        private Object onChannelCall(final CompletionChannel channel, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = call(channel, method, arguments);
            return result instanceof CompletionQueue && ++wakeUps % LOST_ONE_IN == 0 ? Absent.NOTHING : result;
        }
    }
}
