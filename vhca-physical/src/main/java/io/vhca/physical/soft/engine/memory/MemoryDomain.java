package io.vhca.physical.soft.engine.memory;

import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SgeDescriptor;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.UseCount;
import java.lang.foreign.MemorySegment;

/**
 * The engine's side of a protection domain: the regions registered with it, and what a queue pair of it may read and
 * write. It counts the objects that refer to the domain. The engine's owner.
 */
public final class MemoryDomain {
    private final EngineCore core;
    private final KeyTable keys;
    private final ProtectionDomain pd;
    private final UseCount users;

    /** The memory of {@code pd}, whose regions get their keys from {@code keys}. */
    public MemoryDomain(final EngineCore core, final KeyTable keys, final ProtectionDomain pd) {
        this.core = core;
        this.keys = keys;
        this.pd = pd;
        users = new UseCount(core);
    }

    /** The protection domain as applications see it. */
    public ProtectionDomain pd() {
        return pd;
    }

    /** Another object refers to this domain; the engine's owner. */
    public void addUser() {
        users.added();
    }

    /** An object does not refer to this domain any more; the engine's owner. */
    public void removeUser() {
        users.removed();
    }

    /** How many objects refer to this domain; the engine's owner. */
    public int users() {
        return users.get();
    }

    /** Registers memory; ENOMEM where the device has no key left. */
    public SoftMr register(final MemorySegment memory, final int access) {
        final SoftMr region = new SoftMr(core, this, memory, keys.allocate(), access);
        keys.put(region);
        users.added();
        return region;
    }

    void deregister(final SoftMr region) {
        keys.remove(region);
        users.removed();
    }

    /** True when the key is alive, of this domain, covers the range and grants all of {@code access}. */
    public boolean allows(final int key, final long address, final long lengthBytes, final int access) {
        return keys.allows(key, this, address, lengthBytes, access);
    }

    /** True when each of the elements from {@code sges} on may be used so. */
    public boolean allowsAll(final long sges, final int numSge, final int access) {
        for (int i = 0; i < numSge; i++) {
            final long sge = sges + (long) i * SgeDescriptor.SIZE;
            final long lengthBytes = Integer.toUnsignedLong(SgeDescriptor.length(sge));
            if (lengthBytes > 0
                    && !allows(SgeDescriptor.lkey(sge), SgeDescriptor.addr(sge), lengthBytes, access)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies between a flat buffer and a part of a scatter/gather list.
     *
     * @param offset    where in the list to begin
     * @param access    what the elements' keys must grant: 0 to gather, LOCAL_WRITE to scatter
     * @param isScatter true to copy from the flat buffer into the list
     * @return false when a key does not allow it; what came before it is copied
     */
    public boolean copy(
            final long sges,
            final int numSge,
            final long offset,
            final long flat,
            final int lengthBytes,
            final int access,
            final boolean isScatter) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < numSge && done < lengthBytes; i++) {
            final long sge = sges + (long) i * SgeDescriptor.SIZE;
            final long size = Integer.toUnsignedLong(SgeDescriptor.length(sge));
            if (skip >= size) {
                skip -= size;
                continue;
            }
            final long addr = SgeDescriptor.addr(sge) + skip;
            final int part = (int) Math.min(size - skip, lengthBytes - done);
            skip = 0;
            if (!allows(SgeDescriptor.lkey(sge), addr, part, access)) {
                return false;
            }
            if (isScatter) {
                NativeMemory.copy(flat + done, addr, part);
            } else {
                NativeMemory.copy(addr, flat + done, part);
            }
            done += part;
        }
        return done == lengthBytes;
    }
}
