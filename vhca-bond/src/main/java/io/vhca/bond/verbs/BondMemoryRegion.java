package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.RegisteredMemory;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A vMR: the same memory registered on every member, under one virtual key. Control lock. */
public final class BondMemoryRegion implements MemoryRegion, MemberPart, RegisteredMemory {
    private final BondProtectionDomain pd;
    private final BondCore core;
    private final Members members;
    private final LocalKeys keys;
    private final MemorySegment memory;
    private final int access;
    private final int virtualKey;
    private @Nullable MemoryRegion[] regions;
    private boolean closed;

    BondMemoryRegion(final BondProtectionDomain pd, final MemorySegment memory, final int access) {
        this.pd = pd;
        this.memory = memory;
        this.access = access;
        core = pd.scope().core();
        members = pd.scope().members();
        keys = pd.scope().keys();
        regions = new MemoryRegion[members.all().size()];
        virtualKey = keys.allocate();
        keys.owner(virtualKey, this);
        try {
            for (final Member member : members.all()) {
                member.part(core.counters(), () -> register(member));
            }
        } catch (final RuntimeException | Error e) {
            release();
            throw e;
        }
        members.addPart(this);
        core.trace(TraceEventDescriptor.MR_REGISTERED, TraceObject.mr(virtualKey), addr(), lengthBytes(), access, 0);
    }

    private MemoryRegion register(final Member member) {
        final MemoryRegion region = pd.on(member).regMr(memory, access);
        core.onMember(member.name(), region, 1);
        if (member.index() >= regions.length) {
            regions = Arrays.copyOf(regions, member.index() + 1);
        }
        regions[member.index()] = region;
        keys.bind(virtualKey, member.index(), region.lkey(), region.rkey());
        return region;
    }

    @Override
    public boolean allows(final long address, final long length, final int wanted) {
        return memory.scope().isAlive()
                && (access & wanted) == wanted
                && address >= memory.address()
                && address - memory.address() <= memory.byteSize() - length;
    }

    @Override
    public void drop(final Member member) {
        final MemoryRegion region = member.index() < regions.length ? regions[member.index()] : null;
        if (region != null) {
            keys.bind(virtualKey, member.index(), LocalKeys.INVALID, LocalKeys.INVALID);
            close(region, member);
            regions[member.index()] = null;
        }
    }

    private void close(final MemoryRegion region, final Member member) {
        region.close();
        core.onMember(member.name(), region, -1);
    }

    /** Memory that is gone has no key on the member: it is the application's fault, and not to keep the member out. */
    @Override
    public void rebuild(final Member member) {
        if (memory.scope().isAlive()) {
            register(member);
        }
        if (member.forgetsKeys()) {
            keys.changed(virtualKey);
        }
    }

    @Override
    public boolean isMadeAhead() {
        return true;
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

    /**
     * The key of this region on one member: what a peer without the bond needs, which addresses the member's device and
     * knows no virtual key. It holds until the device is lost.
     *
     * @param member the member's name, as {@code BondAdmin.path} tells it of a queue pair
     * @throws VerbsException EINVAL where there is no such member, EIO where its device is lost, EFAULT where the
     *     memory's arena was closed
     */
    public int rkeyOn(final String member) {
        core.lock();
        try {
            NativeMemory.requireAlive("rkeyOn", this, memory);
            final Member known = members.named(member);
            final MemoryRegion region = known == null || !known.isAlive() || known.index() >= regions.length ? null
                    : regions[known.index()];
            if (region == null) {
                throw new VerbsException(
                        "rkeyOn", known == null ? Errno.EINVAL : Errno.EIO, toString(),
                        known == null ? "the bond has no member " + member : member + " is lost; ask again later");
            }
            return region.rkey();
        } finally {
            core.unlock();
        }
    }

    private void release() {
        keys.release(virtualKey);
        for (final Member member : members.all()) {
            final MemoryRegion region = member.index() < regions.length ? regions[member.index()] : null;
            if (region != null) {
                regions[member.index()] = null;
                close(region, member);
            }
        }
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (!closed) {
                closed = true;
                members.removePart(this);
                release();
                core.trace(TraceEventDescriptor.MR_CLOSED, TraceObject.mr(virtualKey), 0, 0, 0, 0);
                pd.childClosed(this);
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " mr 0x" + Integer.toHexString(virtualKey);
    }
}
