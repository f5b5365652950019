package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operator may do to a running bond. Any thread; each call returns at once, vQPs move one by one without an
 * error or a loss, as after a failure but with nothing left to replay.
 */
public final class BondAdmin {
    private final BondContext context;

    BondAdmin(final BondContext context) {
        this.context = context;
    }

    /**
     * Makes a member the active one ({@code active_slave} of Linux bonding).
     *
     * @throws VerbsException EINVAL when the mode has no active member or the bond no such member, ENETDOWN when it is
     *     down or drained
     */
    public void activate(final String member) {
        context.lock();
        try {
            final Member to = member("activate", member);
            if (context.config().mode() != BondMode.ACTIVE_BACKUP) {
                throw new VerbsException(
                        "activate",
                        Errno.EINVAL,
                        context.name(),
                        "mode " + context.config().mode().text() + " uses all members; drain those that shall rest");
            }
            if (!to.isEligible()) {
                throw new VerbsException(
                        "activate",
                        Errno.ENETDOWN,
                        context.name() + " member " + member,
                        to.isDrained() ? "it is drained; resume it first" : "it is down");
            }
            context.conductor().monitor().activate(to);
            context.conductor().relocation().look();
        } finally {
            context.unlock();
        }
    }

    /**
     * Moves every vQP off a member and places no new one there, until {@link #resume}. A peer may still come over it
     * when it has no other path. Idempotent.
     *
     * @throws VerbsException EINVAL when the bond has no such member, EBUSY when no other member is up
     */
    public void drain(final String member) {
        context.lock();
        try {
            final Member from = member("drain", member);
            if (context.members().stream().noneMatch(other -> other != from && other.isEligible())) {
                throw new VerbsException(
                        "drain",
                        Errno.EBUSY,
                        context.name() + " member " + member,
                        "no other member is up to take its queue pairs");
            }
            context.conductor().monitor().drained(from, true);
            context.conductor().relocation().look();
        } finally {
            context.unlock();
        }
    }

    /**
     * Ends a drain. Idempotent.
     *
     * @throws VerbsException EINVAL when the bond has no such member
     */
    public void resume(final String member) {
        context.lock();
        try {
            context.conductor().monitor().drained(member("resume", member), false);
            context.conductor().relocation().look();
        } finally {
            context.unlock();
        }
    }

    /** The members, in the order of the configuration. */
    public List<MemberStatus> members() {
        context.lock();
        try {
            final int[] queuePairs = new int[context.members().size()];
            for (final @Nullable BondQueuePair qp : context.qps().all()) {
                final PathLink link = qp == null ? null : qp.recovery().healthyLink();
                if (link != null) {
                    queuePairs[link.member().index()]++;
                }
            }
            final Member active = context.conductor().monitor().active();
            return context.members().stream()
                    .map(member -> new MemberStatus(
                            member.name(),
                            member.address(),
                            member.isUp(),
                            member.isDrained(),
                            member == active,
                            queuePairs[member.index()],
                            member.history().failures()))
                    .toList();
        } finally {
            context.unlock();
        }
    }

    /**
     * The path that a vQP of this bond lives on, {@code soft0 -> 10.1.0.2}, of one for datagrams its member; empty
     * where it has none now.
     *
     * @throws VerbsException EINVAL when it is no queue pair of this bond
     */
    public String path(final QueuePair qp) {
        if (qp instanceof BondDatagramQp own && own.bond() == context) {
            context.lock();
            try {
                final Member member = own.home().member();
                return member == null ? "" : member.name();
            } finally {
                context.unlock();
            }
        }
        if (!(qp instanceof BondQueuePair own) || own.bond() != context) {
            throw new VerbsException("path", Errno.EINVAL, context.name(), qp + " is no queue pair of this bond");
        }
        context.lock();
        try {
            return own.recovery().attachment().describe();
        } finally {
            context.unlock();
        }
    }

    /** The options that the bond runs with. */
    public BondConfig config() {
        return context.config();
    }

    /** Shows the visitor every vQP, the bond's own too; under the control lock, so it must be quick. */
    public void visit(final QpVisitor visitor) {
        context.lock();
        try {
            for (final @Nullable BondQueuePair qp : context.qps().all()) {
                if (qp != null) {
                    show(qp, visitor);
                }
            }
        } finally {
            context.unlock();
        }
    }

    private static void show(final BondQueuePair qp, final QpVisitor visitor) {
        final RecoveryMachine machine = qp.recovery().machineOrNull();
        final PathLink link = qp.recovery().healthyLink();
        visitor.onQueuePair(
                qp.qpNum(),
                qp.state(),
                machine == null ? RecoveryState.IDLE : machine.state(),
                machine == null ? 0 : machine.epoch(),
                link == null ? -1 : link.member().index(),
                link == null ? null : link.remote(),
                qp.sendQueue().postedAtGlance(),
                qp.sendQueue().retired(),
                qp.recvQueue().received());
    }

    /** Recoveries that ended after the first {@code seen}, oldest first, as far as the bond remembers them. */
    public List<FailoverReport> failoversAfter(final long seen) {
        context.lock();
        try {
            return context.failoverLog().after(seen);
        } finally {
            context.unlock();
        }
    }

    /** Somebody looks on from now on, in place of who did; the bond closes it in the end. */
    public void observe(final BondObserver observer) {
        context.lock();
        try {
            context.conductor().observe(observer);
        } finally {
            context.unlock();
        }
    }

    private Member member(final String verb, final String name) {
        for (final Member member : context.members()) {
            if (member.name().equals(name)) {
                return member;
            }
        }
        throw new VerbsException(
                verb,
                Errno.EINVAL,
                context.name(),
                "it has no member " + name + ", its members are "
                        + context.members().stream().map(Member::name).toList());
    }
}
