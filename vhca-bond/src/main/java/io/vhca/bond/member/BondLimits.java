package io.vhca.bond.member;

import io.vhca.api.AtomicCapability;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.wire.LedgerWord;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.Collection;

/** The limits of a bond: the least of its members', less what the bond itself needs. Immutable. */
public final class BondLimits {
    /** The number of a bond's one port. */
    public static final int PORT = 1;

    /** Requests of the bond's own on a physical send queue at most: a drain's marker and a probe. */
    static final int OWN_SENDS = 2;

    /** On a physical receive queue: a drain's marker. */
    static final int OWN_RECVS = 1;

    /** Addresses of a peer that one member sends datagrams to at most, as a rule. */
    private static final int HANDLES_A_MEMBER = 4;

    private final DeviceAttributes attributes;
    private final boolean isMarked;

    public BondLimits(final Collection<Member> members, final long nodeGuid, final BondConfig config) {
        final LedgerMode ledger = config.ledger();
        isMarked = ledger != LedgerMode.OFF;
        DeviceAttributes least = null;
        for (final Member member : members) {
            least = least == null ? member.attributes() : lesser(least, member.attributes());
        }
        if (least == null) {
            throw new VerbsException("openDevice", Errno.ENODEV, "bond", "a bond needs at least one member");
        }
        if (members.size() > QpNumDescriptor.MAX_MEMBERS) {
            throw new VerbsException(
                    "openDevice",
                    Errno.EINVAL,
                    "bond",
                    members.size() + " members; a bond has at most " + QpNumDescriptor.MAX_MEMBERS);
        }
        if (isMarked && least.maxInlineData() < LedgerWord.SIZE) {
            throw new VerbsException(
                    "openDevice", Errno.EOPNOTSUPP, "bond",
                    "ledger = " + ledger.text() + " needs members that carry " + LedgerWord.SIZE
                            + " bytes inline, one carries " + least.maxInlineData());
        }
        attributes = new DeviceAttributes(
                "vhca",
                nodeGuid,
                least.maxMrSize(),
                Math.min(QpNumDescriptor.MAX_QP, least.maxQp()),
                QueueCapacities.mostSends(Math.min(PhysicalWrId.MAX_RING, least.maxQpWr()), isMarked),
                least.maxSge(),
                least.maxCq(),
                least.maxCqe() / 2,
                least.maxMr(),
                least.maxPd(),
                least.maxQpRdAtom(),
                least.maxQpInitRdAtom(),
                atomicity(least.atomicCap(), config),
                Math.max(1, least.maxAh() / HANDLES_A_MEMBER),
                least.maxSrq() / 2,
                Math.min(PhysicalWrId.MAX_RING, least.maxSrqWr()),
                least.maxSrqSge(),
                least.maxInlineData(),
                1);
    }

    private static DeviceAttributes lesser(final DeviceAttributes a, final DeviceAttributes b) {
        return new DeviceAttributes(
                a.fwVer(),
                a.nodeGuid(),
                Math.min(a.maxMrSize(), b.maxMrSize()),
                Math.min(a.maxQp(), b.maxQp()),
                Math.min(a.maxQpWr(), b.maxQpWr()),
                Math.min(a.maxSge(), b.maxSge()),
                Math.min(a.maxCq(), b.maxCq()),
                Math.min(a.maxCqe(), b.maxCqe()),
                Math.min(a.maxMr(), b.maxMr()),
                Math.min(a.maxPd(), b.maxPd()),
                Math.min(a.maxQpRdAtom(), b.maxQpRdAtom()),
                Math.min(a.maxQpInitRdAtom(), b.maxQpInitRdAtom()),
                weaker(a.atomicCap(), b.atomicCap()),
                Math.min(a.maxAh(), b.maxAh()),
                Math.min(a.maxSrq(), b.maxSrq()),
                Math.min(a.maxSrqWr(), b.maxSrqWr()),
                Math.min(a.maxSrqSge(), b.maxSrqSge()),
                Math.min(a.maxInlineData(), b.maxInlineData()),
                1);
    }

    private static AtomicCapability weaker(final AtomicCapability a, final AtomicCapability b) {
        return a.code() < b.code() ? a : b;
    }

    /**
     * What holds among all queue pairs of the bond. Emulated atomics run on the CPU of the memory's host. A member's
     * own are atomic on that member alone, unless it is coherent with all else, so no mode may spread them.
     */
    private static AtomicCapability atomicity(final AtomicCapability members, final BondConfig config) {
        if (config.atomics() == AtomicsMode.EMULATED) {
            return AtomicCapability.GLOB;
        }
        if (members == AtomicCapability.HCA && config.mode() != BondMode.ACTIVE_BACKUP) {
            throw new VerbsException(
                    "openDevice", Errno.EOPNOTSUPP, "bond",
                    "atomics = native are atomic on one member only, and mode " + config.mode().text()
                            + " spreads queue pairs over several; set atomics = emulated");
        }
        return members == AtomicCapability.UNKNOWN ? AtomicCapability.NONE : members;
    }

    /**
     * Throws EINVAL where a device that shall become a member, or comes back as one, can hold less in one object than
     * applications were told when the bond was opened. That it can hold fewer objects shows when they are made on it.
     */
    public void checkFits(final String verb, final BondCore bond, final Member member) {
        final DeviceAttributes of = member.attributes();
        final String object = bond.name() + " member " + member.name();
        holds(verb, object, "max_mr_size", of.maxMrSize(), attributes.maxMrSize());
        final int ring = Math.min(PhysicalWrId.MAX_RING, of.maxQpWr());
        holds(verb, object, "max_qp_wr", QueueCapacities.mostSends(ring, isMarked), attributes.maxQpWr());
        holds(verb, object, "max_sge", of.maxSge(), attributes.maxSge());
        holds(verb, object, "max_cqe", of.maxCqe() / 2, attributes.maxCqe());
        holds(verb, object, "max_qp_rd_atom", of.maxQpRdAtom(), attributes.maxQpRdAtom());
        holds(verb, object, "max_qp_init_rd_atom", of.maxQpInitRdAtom(), attributes.maxQpInitRdAtom());
        holds(verb, object, "max_srq_wr", Math.min(PhysicalWrId.MAX_RING, of.maxSrqWr()), attributes.maxSrqWr());
        holds(verb, object, "max_srq_sge", of.maxSrqSge(), attributes.maxSrqSge());
        holds(verb, object, "max_inline_data", of.maxInlineData(), attributes.maxInlineData());
        if (bond.config().atomics() == AtomicsMode.NATIVE) {
            holds(verb, object, "atomic_cap", of.atomicCap().code(), attributes.atomicCap().code());
        }
    }

    private static void holds(
            final String verb, final String object, final String what, final long value, final long promised) {
        if (value < promised) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    object,
                    "its " + what + " is " + value + ", and the bond promised " + promised
                            + " when it was opened; open the bond anew, with it in members");
        }
    }

    /** What the physical queues of a vQP take. */
    public QueueCapacities room(final QpCapabilities asked) {
        return new QueueCapacities(asked, isMarked);
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    public void checkCqe(final String verb, final String object, final int cqe) {
        if (cqe < 1 || cqe > attributes.maxCqe()) {
            throw new VerbsException(
                    verb, Errno.EINVAL, object, "cqe is " + cqe + ", allowed is 1 to " + attributes.maxCqe());
        }
    }

    /** Throws EINVAL when a QP asks for more than every member can give. */
    public void check(final String object, final QpCapabilities cap) {
        check("createQp", object, "maxSendWr", cap.maxSendWr(), 1, attributes.maxQpWr());
        check("createQp", object, "maxRecvWr", cap.maxRecvWr(), 0, attributes.maxQpWr());
        check("createQp", object, "maxSendSge", cap.maxSendSge(), 0, attributes.maxSge());
        check("createQp", object, "maxRecvSge", cap.maxRecvSge(), 0, attributes.maxSge());
        check("createQp", object, "maxInlineData", cap.maxInlineData(), 0, attributes.maxInlineData());
    }

    /** Throws EINVAL when an SRQ asks for more than every member can give. */
    public void check(final String object, final SrqAttributes asked) {
        check("createSrq", object, "maxWr", asked.maxWr(), 1, attributes.maxSrqWr());
        check("createSrq", object, "maxSge", asked.maxSge(), 0, attributes.maxSrqSge());
        check("createSrq", object, "limit", asked.limit(), 0, asked.maxWr());
    }

    private static void check(
            final String verb,
            final String object,
            final String what,
            final int value,
            final int least,
            final int most) {
        if (value < least || value > most) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    object,
                    what + " is " + value + ", allowed is " + least + " to " + most
                            + " (the least of the members' limits)");
        }
    }
}
