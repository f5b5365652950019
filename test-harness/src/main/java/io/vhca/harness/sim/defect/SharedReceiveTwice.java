package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.harness.sim.proxy.StandIns;
import java.lang.reflect.Method;

/** One shared receive in eight is given to the hardware twice. */
final class SharedReceiveTwice implements Defect {
    private static final int DOUBLED_ONE_IN = 8;

    @Override
    public Context member(final Context device) {
        return new DoublingMember(device).context();
    }

    private static final class DoublingMember extends StandIns {
        private int receives;

        DoublingMember(final Context device) {
            super(device);
        }

        @Override
        protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = super.onPdCall(real, method, arguments);
            return result instanceof SharedReceiveQueue srq
                    ? stand(SharedReceiveQueue.class, srq, (called, given) -> onSrqCall(srq, called, given))
                    : result;
        }

        private Object onSrqCall(final SharedReceiveQueue srq, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = call(srq, method, arguments);
            return method.getName().equals("postRecv") && ++receives % DOUBLED_ONE_IN == 0
                    ? call(srq, method, arguments)
                    : result;
        }
    }
}
