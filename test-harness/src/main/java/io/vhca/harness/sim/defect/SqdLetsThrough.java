package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** What a queue pair sends in SQD goes out: the bond is not told of the move, and back. */
final class SqdLetsThrough implements Defect {
    @Override
    public Context bond(final Context bond) {
        return new UnpausedBond(bond).context();
    }

    private static final class UnpausedBond extends MemberProxy {
        private final Set<QueuePair> paused = Collections.newSetFromMap(new IdentityHashMap<>());

        UnpausedBond(final Context bond) {
            super(bond);
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            if (!method.getName().equals("modify") || !(arguments[0] instanceof QpAttributes change)) {
                return call(real, method, arguments);
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
}
