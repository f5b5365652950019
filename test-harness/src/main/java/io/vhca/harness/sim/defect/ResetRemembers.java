package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.harness.sim.proxy.StandIns;
import java.lang.reflect.Method;

/** A queue pair in RESET remembers something of its life before: what that is, is the subclass's. */
abstract class ResetRemembers implements Defect {
    /** A queue pair is about to be moved to RESET; how it is given back what it is to remember. */
    abstract Runnable remembering(BondQueuePair qp);

    @Override
    public Context bond(final Context bond) {
        return new RememberingBond(bond).context();
    }

    private final class RememberingBond extends StandIns {
        RememberingBond(final Context bond) {
            super(bond);
        }

        @Override
        protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = super.onPdCall(real, method, arguments);
            return result instanceof BondQueuePair qp && qp.qpType() == QpType.RC
                    ? stand(QueuePair.class, qp, (called, given) -> onModify(qp, called, given))
                    : result;
        }

        private Object onModify(final BondQueuePair qp, final Method method, final Object[] arguments)
                throws Throwable {
            if (!method.getName().equals("modify") || !(arguments[0] instanceof QpAttributes change)
                    || change.qpState() != QpState.RESET) {
                return call(qp, method, arguments);
            }
            final Runnable givesBack = remembering(qp);
            final Object result = call(qp, method, arguments);
            givesBack.run();
            return result;
        }
    }
}
