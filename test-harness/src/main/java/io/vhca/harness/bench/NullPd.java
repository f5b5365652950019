package io.vhca.harness.bench;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain of a null device; it protects nothing. */
record NullPd(NullContext context) implements ProtectionDomain {
    private static final AtomicInteger NEXT_KEY = new AtomicInteger(1);

    @Override
    public MemoryRegion regMr(final MemorySegment memory, final int access) {
        final int key = NEXT_KEY.getAndIncrement();
        return new NullMr(this, memory.address(), memory.byteSize(), key, key);
    }

    @Override
    public QueuePair createQp(final QpInitAttributes attributes) {
        return new NullQp(this, attributes);
    }

    @Override
    public SharedReceiveQueue createSrq(final SrqAttributes attributes) {
        throw new VerbsException("createSrq", Errno.EOPNOTSUPP, name(), "the null device has no SRQs");
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        throw new VerbsException("createAh", Errno.EOPNOTSUPP, name(), "the null device has no UD");
    }

    private String name() {
        final Context parent = context;
        return parent.device().name() + " pd";
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    /** Memory of a null device: any key will do. */
    private record NullMr(ProtectionDomain pd, long addr, long lengthBytes, int lkey, int rkey)
            implements MemoryRegion {
        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
