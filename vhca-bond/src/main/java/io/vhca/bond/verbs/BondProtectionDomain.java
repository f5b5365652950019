package io.vhca.bond.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.wire.QpNumDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A vPD: one PD on every member. Control lock. */
public final class BondProtectionDomain implements ProtectionDomain, MemberPart {
    private final VerbsScope scope;
    private final BondCore core;
    private final Members members;
    private final @Nullable ProtectionDomain[] domains;
    private final Set<Object> children = new LinkedHashSet<>();
    private @Nullable LedgerBoard board;
    private boolean closed;

    public BondProtectionDomain(final VerbsScope scope) {
        this.scope = scope;
        core = scope.core();
        members = scope.members();
        domains = new ProtectionDomain[QpNumDescriptor.MAX_MEMBERS];
        try {
            for (final Member member : members.all()) {
                domains[member.index()] = member.part(core.counters(), () -> allocate(member));
            }
        } catch (final RuntimeException | Error e) {
            members.all().forEach(this::drop);
            throw e;
        }
        members.addPart(this);
        core.begins(this, this);
    }

    private ProtectionDomain allocate(final Member member) {
        final ProtectionDomain made = member.context().allocPd();
        core.onMember(member.name(), made, 1);
        return made;
    }

    @Override
    public void drop(final Member member) {
        final ProtectionDomain pd = domains[member.index()];
        if (pd != null) {
            pd.close();
            core.onMember(member.name(), pd, -1);
            domains[member.index()] = null;
        }
    }

    @Override
    public void rebuild(final Member member) {
        domains[member.index()] = allocate(member);
    }

    @Override
    public boolean isMadeAhead() {
        return true;
    }

    /** What its children are made of. */
    public VerbsScope scope() {
        return scope;
    }

    public ProtectionDomain on(final Member member) {
        final ProtectionDomain pd = domains[member.index()];
        if (pd == null) {
            throw new VerbsException(
                    "allocPd", Errno.EIO, member.name(), "the member has no protection domain: its device is dead");
        }
        return pd;
    }

    @Override
    public Context context() {
        return scope.context();
    }

    @Override
    public MemoryRegion regMr(final MemorySegment memory, final int access) {
        core.lock();
        try {
            checkOpen("regMr");
            checkAccess(access);
            NativeMemory.requireRegistrable(this, memory, access);
            final BondMemoryRegion region = new BondMemoryRegion(this, memory, access);
            beginChild(region);
            return region;
        } finally {
            core.unlock();
        }
    }

    @Override
    public QueuePair createQp(final QpInitAttributes attributes) {
        core.lock();
        try {
            checkOpen("createQp");
            final QueuePair qp = scope.factory().create(this, attributes);
            beginChild(qp);
            return qp;
        } finally {
            core.unlock();
        }
    }

    @Override
    public SharedReceiveQueue createSrq(final SrqAttributes attributes) {
        core.lock();
        try {
            checkOpen("createSrq");
            scope.limits().check(core.name() + " pd", attributes);
            final BondSharedReceiveQueue srq = new BondSharedReceiveQueue(this, attributes);
            beginChild(srq);
            return srq;
        } finally {
            core.unlock();
        }
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        core.lock();
        try {
            checkOpen("createAh");
            final BondAddressHandle ah = new BondAddressHandle(this, attributes);
            beginChild(ah);
            return ah;
        } finally {
            core.unlock();
        }
    }

    /** Where peers write their marks; made when the first one asks. */
    LedgerBoard ledgerBoard() {
        LedgerBoard own = board;
        if (own == null) {
            own = new LedgerBoard(this);
            board = own;
        }
        return own;
    }

    private void checkAccess(final int access) {
        final String what = (access & AccessFlags.MW_BIND) != 0
                ? "memory windows"
                : (access & AccessFlags.ZERO_BASED) != 0
                        ? "zero-based addresses"
                        : (access & AccessFlags.ON_DEMAND) != 0 ? "regions paged on-demand" : "";
        if (!what.isEmpty()) {
            throw new VerbsException(
                    "regMr", Errno.EOPNOTSUPP, core.name() + " pd", what + " are not carried by a bond");
        }
    }

    private void checkOpen(final String verb) {
        if (closed) {
            throw new VerbsException(verb, Errno.EINVAL, core.name() + " pd", "the protection domain is closed");
        }
    }

    private void beginChild(final Object child) {
        children.add(child);
        core.begins(child, this);
    }

    public void childClosed(final Object child) {
        children.remove(child);
        core.ends(child);
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            if (!children.isEmpty()) {
                throw new VerbsException(
                        "deallocPd",
                        Errno.EBUSY,
                        core.name() + " pd",
                        children.iterator().next() + " is still open; close it first");
            }
            closed = true;
            if (board != null) {
                board.close();
            }
            members.removePart(this);
            members.all().forEach(this::drop);
            core.ends(this);
            scope.children().remove(this);
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " pd";
    }
}
