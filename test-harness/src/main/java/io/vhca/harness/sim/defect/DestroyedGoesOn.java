package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmId;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;

/** A queue pair that is destroyed and whose id stays is only moved to ERR: what it had posted is flushed later. */
final class DestroyedGoesOn implements Defect {
    @Override
    public Context bond(final Context bond) {
        return new KeepingBond(bond).context();
    }

    private static final class KeepingBond extends MemberProxy {
        KeepingBond(final Context bond) {
            super(bond);
        }

        @Override
        protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
            final QueuePair qp = real.qp();
            if (qp == null || !method.getName().equals("destroyQp")) {
                return call(real, method, arguments);
            }
            qp.modify(new QpAttributes().qpState(QpState.ERR));
            return Absent.NOTHING;
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            return call(real, method, arguments);
        }
    }
}
