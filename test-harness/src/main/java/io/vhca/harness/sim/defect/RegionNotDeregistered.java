package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.harness.sim.proxy.StandIns;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** What the application deregisters stays registered with the members. */
final class RegionNotDeregistered implements Defect {
    private final List<MemoryRegion> unclosed = new ArrayList<>();
    private boolean isOver;

    @Override
    public Context member(final Context device) {
        return new KeepingMember(device).context();
    }

    @Override
    public void beforeClose() {
        isOver = true;
        unclosed.forEach(MemoryRegion::close);
        unclosed.clear();
    }

    private final class KeepingMember extends StandIns {
        KeepingMember(final Context device) {
            super(device);
        }

        @Override
        protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
                throws Throwable {
            final Object result = super.onPdCall(real, method, arguments);
            return result instanceof MemoryRegion region
                    ? stand(MemoryRegion.class, region, (called, given) -> onRegionCall(region, called, given))
                    : result;
        }

        private Object onRegionCall(final MemoryRegion region, final Method method, final Object[] arguments)
                throws Throwable {
            if (isOver || !method.getName().equals("close")) {
                return call(region, method, arguments);
            }
            unclosed.add(region);
            return Absent.NOTHING;
        }
    }
}
