package io.vhca.physical.soft.engine.memory;

import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.physical.soft.engine.core.EngineCore;
import java.lang.foreign.MemorySegment;

/** A memory region of a soft device; it keeps the segment reachable until it is closed. */
public final class SoftMr implements MemoryRegion {
    private final EngineCore core;
    private final MemoryDomain domain;
    private final MemorySegment memory;
    private final long addr;
    private final long lengthBytes;
    private final int key;
    private final int access;
    private boolean isClosed;

    SoftMr(
            final EngineCore core,
            final MemoryDomain domain,
            final MemorySegment memory,
            final int key,
            final int access) {
        this.core = core;
        this.domain = domain;
        this.memory = memory;
        this.key = key;
        this.access = access;
        addr = memory.address();
        lengthBytes = memory.byteSize();
    }

    @Override
    public ProtectionDomain pd() {
        return domain.pd();
    }

    MemoryDomain domain() {
        return domain;
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

    /** Once this has returned the engine does not touch the memory any more. */
    @Override
    public void close() {
        core.acquire();
        try {
            if (!isClosed) {
                isClosed = true;
                domain.deregister(this);
            }
        } finally {
            core.release();
        }
    }

    @Override
    public String toString() {
        return core.name() + " mr 0x" + Integer.toHexString(key);
    }
}
