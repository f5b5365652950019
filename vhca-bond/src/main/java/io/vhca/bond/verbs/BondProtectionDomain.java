package io.vhca.bond.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.datagram.BondDatagramQp;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.wire.QpNumDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A vPD: one PD on every member. Control lock. */
public final class BondProtectionDomain implements ProtectionDomain, MemberPart {
    private final BondContext context;
    private final @Nullable ProtectionDomain[] domains;
    private final Set<Object> children = new LinkedHashSet<>();
    private @Nullable LedgerBoard board;
    private boolean closed;

    public BondProtectionDomain(final BondContext context) {
        this.context = context;
        domains = new ProtectionDomain[QpNumDescriptor.MAX_MEMBERS];
        for (final Member member : context.members()) {
            domains[member.index()] = member.part(context.counters(), () -> member.context().allocPd());
        }
        context.parts().add(this);
    }

    @Override
    public void drop(final Member member) {
        final ProtectionDomain pd = domains[member.index()];
        if (pd != null) {
            pd.close();
            domains[member.index()] = null;
        }
    }

    @Override
    public void rebuild(final Member member) {
        domains[member.index()] = member.context().allocPd();
    }

    public BondContext bond() {
        return context;
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
        return context;
    }

    @Override
    public MemoryRegion regMr(final MemorySegment memory, final int access) {
        context.lock();
        try {
            checkOpen("regMr");
            checkAccess(access);
            final BondMemoryRegion region = new BondMemoryRegion(this, memory, access);
            children.add(region);
            return region;
        } finally {
            context.unlock();
        }
    }

    @Override
    public QueuePair createQp(final QpInitAttributes attributes) {
        context.lock();
        try {
            checkOpen("createQp");
            if (attributes.qpType() == QpType.UD) {
                final BondDatagramQp qp = BondDatagramQp.create(this, attributes);
                children.add(qp);
                return qp;
            }
            if (attributes.qpType() != QpType.RC) {
                throw new VerbsException(
                        "createQp",
                        Errno.EOPNOTSUPP,
                        context.name(),
                        "queue pairs of type " + attributes.qpType() + " are not carried by a bond; use RC or UD");
            }
            final BondQueuePair qp = QpCreation.create(this, attributes);
            children.add(qp);
            return qp;
        } finally {
            context.unlock();
        }
    }

    @Override
    public SharedReceiveQueue createSrq(final SrqAttributes attributes) {
        context.lock();
        try {
            checkOpen("createSrq");
            context.limits().check(context.name() + " pd", attributes);
            final BondSharedReceiveQueue srq = new BondSharedReceiveQueue(this, attributes);
            children.add(srq);
            return srq;
        } finally {
            context.unlock();
        }
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        context.lock();
        try {
            checkOpen("createAh");
            final BondAddressHandle ah = new BondAddressHandle(this, attributes);
            children.add(ah);
            return ah;
        } finally {
            context.unlock();
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
                    "regMr", Errno.EOPNOTSUPP, context.name() + " pd", what + " are not carried by a bond");
        }
    }

    private void checkOpen(final String verb) {
        if (closed) {
            throw new VerbsException(verb, Errno.EINVAL, context.name() + " pd", "the protection domain is closed");
        }
    }

    public void childClosed(final Object child) {
        children.remove(child);
    }

    @Override
    public void close() {
        context.lock();
        try {
            if (closed) {
                return;
            }
            if (!children.isEmpty()) {
                throw new VerbsException(
                        "deallocPd",
                        Errno.EBUSY,
                        context.name() + " pd",
                        children.iterator().next() + " is still open; close it first");
            }
            closed = true;
            if (board != null) {
                board.close();
            }
            context.parts().remove(this);
            for (int i = 0; i < domains.length; i++) {
                final ProtectionDomain pd = domains[i];
                domains[i] = null;
                if (pd != null) {
                    pd.close();
                }
            }
            context.forget(this);
        } finally {
            context.unlock();
        }
    }
}
