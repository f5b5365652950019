package io.vhca.bond.placement;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Which device is the member of which index, and how that changes while the bond runs. Control lock; any thread may
 * read {@link #all}.
 *
 * <pre>
 *   FREE --add: every part is made--> TAKEN --remove--> LEAVING --nothing lives there any more--> FREE
 * </pre>
 *
 * <p>Records between bonds name members by index. So an index keeps its generation, the next occupant has another one,
 * and what a peer knows of keys on the old one is void for it. A device that comes back gets its old index; another one
 * gets a free index only when there is no new one.
 */
public final class MemberSeats {
    private final BondContext context;
    private final MemberSource source;
    private final List<Member> seats = new CopyOnWriteArrayList<>();
    private final Set<Member> leaving = new LinkedHashSet<>();

    public MemberSeats(final BondContext context, final MemberSource source) {
        this.context = context;
        this.source = source;
    }

    /** The members that the bond begins with. */
    public void begin(final Collection<Context> opened) {
        for (final Context device : opened) {
            seats.add(new Member(seats.size(), 0, device));
        }
    }

    /** All by index, with those that are no members any more. */
    public List<Member> all() {
        return seats;
    }

    public MemberSource source() {
        return source;
    }

    /** True for a member that is on its way out. */
    public boolean isLeaving(final Member member) {
        return leaving.contains(member);
    }

    /**
     * Throws EEXIST when a device of that name is a member, also one that is on its way out, ENOSPC when there are as
     * many members as there can be.
     */
    public void checkFree(final String name) {
        int taken = 0;
        for (final Member member : seats) {
            taken += member.isPresent() ? 1 : 0;
            if (member.isPresent() && member.name().equals(name)) {
                throw refused(
                        Errno.EEXIST,
                        name,
                        leaving.contains(member)
                                ? "it is being removed; wait until that is done, or resume it"
                                : "it is a member already");
            }
        }
        if (taken == QpNumDescriptor.MAX_MEMBERS) {
            throw refused(Errno.ENOSPC, name, "a bond has at most " + taken + " members; remove one first");
        }
    }

    /**
     * Makes an open device a member: every part of the virtual objects is made on it, and its port is looked at.
     *
     * @throws VerbsException as above, EINVAL when it can hold less than the bond promised, or as the device says; then
     *     nothing is left on it, and it is still the caller's
     */
    public void add(final Context opened) {
        final String name = opened.device().name();
        checkFree(name);
        for (final Member member : seats) {
            if (member.isPresent()
                    && member.context().device().nodeGuid() == opened.device().nodeGuid()) {
                throw refused(Errno.EEXIST, name, "it is the device of member " + member.name());
            }
        }
        final int index = seatFor(opened);
        final int comings = index < seats.size() ? seats.get(index).comings() + 1 : 0;
        final Member member = new Member(index, comings, opened);
        member.portActive(false);
        try {
            context.limits().checkFits(context, member);
            context.localKeys().members(Math.max(seats.size(), index + 1));
            context.parts().rebuild(member);
        } catch (final RuntimeException e) {
            member.died();
            context.parts().drop(member);
            member.cm().close();
            throw e;
        }
        if (index < seats.size()) {
            seats.set(index, member);
        } else {
            seats.add(member);
        }
        named();
        context.events().member(member, MemberChange.ADDED, context.conductor().nowNs());
        context.conductor().monitor().added(member);
        context.controlPlane().announce();
    }

    /** The index that the device had, else a new one, else the first that is free. */
    private int seatFor(final Context opened) {
        int free = -1;
        for (final Member member : seats) {
            if (!member.isPresent()) {
                if (member.context().device().nodeGuid() == opened.device().nodeGuid()) {
                    return member.index();
                }
                free = free < 0 ? member.index() : free;
            }
        }
        return seats.size() < QpNumDescriptor.MAX_MEMBERS ? seats.size() : free;
    }

    /** A member is drained, and leaves once that is done. Idempotent. */
    public void leave(final Member member) {
        if (leaving.add(member)) {
            context.events().member(member, MemberChange.LEAVING, context.conductor().nowNs());
        }
        context.wakeUp();
    }

    /** It stays after all. */
    public void stay(final Member member) {
        leaving.remove(member);
    }

    public int doWork(final long nowNs) {
        if (leaving.isEmpty()) {
            return 0;
        }
        int work = 0;
        for (final Member member : List.copyOf(leaving)) {
            // Its device may die meanwhile; then it is buried like any, and leaves after that.
            if (isIdle(member) && context.conductor().life().retire(member, nowNs)) {
                left(member);
                work++;
            }
        }
        return work;
    }

    private void left(final Member member) {
        leaving.remove(member);
        context.events().member(member, MemberChange.REMOVED, context.conductor().nowNs());
        for (final @Nullable BondQueuePair qp : context.qps().all()) {
            if (qp != null) {
                qp.recovery().onMemberLeft(member);
            }
        }
        named();
        context.conductor().monitor().recount();
        source.released(member.name());
        context.controlPlane().announce();
    }

    private void named() {
        final List<String> names = seats.stream()
                .filter(Member::isPresent)
                .map(Member::name)
                .toList();
        context.config(context.config().toBuilder().members(names).build());
    }

    /** True when nothing lives on the member or is about to, and others are there to take what may come. */
    private boolean isIdle(final Member member) {
        if (context.datagrams().liveOn(member)) {
            return false;
        }
        for (final PathLink link : context.links().values()) {
            if (link.member() == member && link.state() != PathLink.State.REQUESTED) {
                return false;
            }
        }
        return seats.stream().anyMatch(Member::isEligible);
    }

    private VerbsException refused(final int errno, final String name, final String why) {
        return new VerbsException("addMember", errno, context.name() + " member " + name, why);
    }
}
