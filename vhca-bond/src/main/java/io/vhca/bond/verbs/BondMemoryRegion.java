package io.vhca.bond.verbs;

import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.bond.BondContext;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.queue.LocalKeys;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A vMR: the same memory registered on every member, under one virtual key. Control lock. */
public final class BondMemoryRegion implements MemoryRegion, MemberPart {
    private final BondProtectionDomain pd;
    private final MemorySegment memory;
    private final int access;
    private final int virtualKey;
    private @Nullable MemoryRegion[] regions;
    private boolean closed;

    BondMemoryRegion(final BondProtectionDomain pd, final MemorySegment memory, final int access) {
        this.pd = pd;
        this.memory = memory;
        this.access = access;
        final BondContext context = pd.bond();
        regions = new MemoryRegion[context.members().size()];
        virtualKey = context.localKeys().allocate();
        context.localKeys().owner(virtualKey, this);
        try {
            for (final Member member : context.members()) {
                member.part(context.counters(), () -> register(member));
            }
        } catch (final RuntimeException e) {
            release();
            throw e;
        }
        context.parts().add(this);
    }

    private MemoryRegion register(final Member member) {
        final MemoryRegion region = pd.on(member).regMr(memory, access);
        if (member.index() >= regions.length) {
            regions = Arrays.copyOf(regions, member.index() + 1);
        }
        regions[member.index()] = region;
        pd.bond().localKeys().bind(virtualKey, member.index(), region.lkey(), region.rkey());
        return region;
    }

    /** True where the bytes lie within the region, which was registered for that access. */
    public boolean allows(final long address, final long length, final int wanted) {
        return (access & wanted) == wanted
                && address >= memory.address()
                && address - memory.address() <= memory.byteSize() - length;
    }

    @Override
    public void drop(final Member member) {
        final MemoryRegion region = member.index() < regions.length ? regions[member.index()] : null;
        if (region != null) {
            pd.bond().localKeys().bind(virtualKey, member.index(), LocalKeys.INVALID, LocalKeys.INVALID);
            region.close();
            regions[member.index()] = null;
        }
    }

    @Override
    public void rebuild(final Member member) {
        register(member);
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
        return virtualKey;
    }

    @Override
    public int rkey() {
        return virtualKey;
    }

    private void release() {
        pd.bond().localKeys().release(virtualKey);
        pd.bond().controlPlane().revoke(virtualKey);
        for (int i = 0; i < regions.length; i++) {
            final MemoryRegion region = regions[i];
            regions[i] = null;
            if (region != null) {
                region.close();
            }
        }
    }

    @Override
    public void close() {
        pd.bond().lock();
        try {
            if (!closed) {
                closed = true;
                pd.bond().parts().remove(this);
                release();
                pd.childClosed(this);
            }
        } finally {
            pd.bond().unlock();
        }
    }

    @Override
    public String toString() {
        return pd.bond().name() + " mr 0x" + Integer.toHexString(virtualKey);
    }
}
