package io.vhca.bond.fake;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import java.lang.foreign.MemorySegment;

/** A protection domain of a fake device. */
final class FakePd implements ProtectionDomain {
    private final FakeContext context;

    FakePd(final FakeContext context) {
        this.context = context;
        context.children().add(this);
    }

    FakeContext fake() {
        return context;
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public MemoryRegion regMr(final MemorySegment memory, final int access) {
        context.check("regMr");
        NativeMemory.requireAlive("regMr", context, memory);
        return new FakeMr(this, memory);
    }

    @Override
    public QueuePair createQp(final QpInitAttributes attributes) {
        context.check("createQp");
        context.fake().checkType(attributes.qpType());
        return new FakeQp(this, attributes);
    }

    @Override
    public SharedReceiveQueue createSrq(final SrqAttributes attributes) {
        context.check("createSrq");
        return new FakeSrq(this, attributes);
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        context.check("createAh");
        return new FakeAh(this, attributes);
    }

    @Override
    public void close() {
        context.children().remove(this);
    }
}
