package io.vhca.bond.fake;

import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/** A memory region of a fake device; one number is its local and its remote key. */
final class FakeMr implements MemoryRegion {
    private final FakePd pd;
    private final MemorySegment memory;
    private final int key;

    FakeMr(final FakePd pd, final MemorySegment memory) {
        this.pd = pd;
        this.memory = memory;
        key = pd.fake().fabric().nextNumber();
        pd.fake().regions().put(key, this);
        pd.fake().children().add(this);
    }

    boolean covers(final long address, final long length) {
        return address >= memory.address() && address - memory.address() <= memory.byteSize() - length;
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long addr() {
        return memory.address();
    }

    @Override
    public long lengthBytes() {
        return memory.byteSize();
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    @Override
    public void close() {
        pd.fake().regions().remove(key);
        pd.fake().children().remove(this);
    }
}
