package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmId;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;

/** Physical queue pairs have the rnr_retry that the peer's bond says, whatever the application has said itself. */
final class RnrRetryForgotten implements Defect {
    @Override
    public Context member(final Context device) {
        return new ForgetfulMember(device).context();
    }

    private static final class ForgetfulMember extends MemberProxy {
        ForgetfulMember(final Context device) {
            super(device);
        }

        @Override
        protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
            return method.getName().equals("rnrRetry") ? Absent.NOTHING : call(real, method, arguments);
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            return call(real, method, arguments);
        }
    }
}
