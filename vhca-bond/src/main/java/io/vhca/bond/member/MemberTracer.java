package io.vhca.bond.member;

import io.vhca.api.DeviceStep;
import io.vhca.api.DeviceTracer;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;

/** Puts what a member's device tells of its steps into the bond's trace. Any thread. */
final class MemberTracer implements DeviceTracer {
    private final BondCore core;
    private final long object;

    MemberTracer(final BondCore core, final int index) {
        this.core = core;
        object = TraceObject.member(index);
    }

    @Override
    public void step(final DeviceStep step, final int number, final long value) {
        core.trace(
                step.isOfCm() ? TraceEventDescriptor.SOFT_CM_MESSAGE : TraceEventDescriptor.SOFT_ENGINE_STEP,
                object, step.code(), number, value, 0);
    }
}
