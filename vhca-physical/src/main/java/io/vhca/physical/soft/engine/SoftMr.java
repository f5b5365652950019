package io.vhca.physical.soft.engine;

import io.vhca.api.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Memory registered with a {@link SoftNic}; it keeps the segment reachable until it is closed. */
public final class SoftMr implements MemoryRegion {
    private final SoftPd pd;
    private final MemorySegment memory;
    private final long addr;
    private final long lengthBytes;
    private final int key;
    private final int access;
    private boolean isClosed;

    SoftMr(final SoftPd pd, final MemorySegment memory, final int key, final int access) {
        this.pd = pd;
        this.memory = memory;
        this.key = key;
        this.access = access;
        addr = memory.address();
        lengthBytes = memory.byteSize();
    }

    @Override
    public SoftPd pd() {
        return pd;
    }

    @Override
    public long addr() {
        return addr;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    /** A combination of {@link io.vhca.api.AccessFlags}. */
    public int access() {
        return access;
    }

    /** The memory as it was registered. */
    public MemorySegment memory() {
        return memory;
    }

    /** When this returns the engine touches the memory no more. */
    @Override
    public void close() {
        pd.nic.acquire();
        try {
            if (!isClosed) {
                isClosed = true;
                pd.nic.objects().removeRegion(this);
            }
        } finally {
            pd.nic.release();
        }
    }

    @Override
    public String toString() {
        return pd.nic.name() + " mr 0x" + Integer.toHexString(key);
    }
}
