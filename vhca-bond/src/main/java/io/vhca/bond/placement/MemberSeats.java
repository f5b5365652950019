package io.vhca.bond.placement;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which device is the member of which index, and how that changes while the bond runs. Control lock; any thread may
 * read {@link Members#all}.
 *
 * <pre>
 *   FREE --add--> COMING --every part is made--> TAKEN --remove--> LEAVING --nothing lives there any more--> FREE
 * </pre>
 *
 * <p>Records between bonds name members by index. So an index keeps its generation, the next occupant has another one,
 * and what a peer knows of keys on the old one is void for it. A device that comes back gets its old index; another one
 * gets a free index only when there is no new one.
 */
public final class MemberSeats implements DutyCycle {
    private final BondRuntime core;
    private final Members members;
    private final Links links;
    private final BondLimits limits;
    private final LocalKeys keys;
    private final LinkMonitor monitor;
    private final MemberLife life;
    private final MemberSource source;
    private final Set<Member> leaving = new LinkedHashSet<>();
    /** How much is made on the device that is being added. */
    private long made;

    public MemberSeats(
            final BondRuntime core,
            final Members members,
            final Links links,
            final BondLimits limits,
            final LocalKeys keys,
            final LinkMonitor monitor,
            final MemberLife life,
            final MemberSource source) {
        this.core = core;
        this.members = members;
        this.links = links;
        this.limits = limits;
        this.keys = keys;
        this.monitor = monitor;
        this.life = life;
        this.source = source;
    }

    public MemberSource source() {
        return source;
    }

    /** True for a member that is on its way out. */
    public boolean isLeaving(final Member member) {
        assert core.holdsLock();
        return leaving.contains(member);
    }

    /**
     * Throws EEXIST when a device of that name is a member, also one that is on its way out, ENOSPC when there are as
     * many members as there can be, EBUSY while another one is being added.
     */
    public void checkFree(final String name) {
        assert core.holdsLock();
        final Member coming = members.coming();
        if (coming != null) {
            throw refused(Errno.EBUSY, name, coming.name() + " is being added; add it once that is done");
        }
        int taken = 0;
        for (final Member member : members.all()) {
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
     * Does the next piece of making an open device a member, at the first call the first one: every part of the virtual
     * objects is made on it, and once all are it is a member, and its port is looked at. Who fails over meanwhile waits
     * for no more than a piece.
     *
     * @return true once it is a member
     * @throws VerbsException as above, EINVAL when it can hold less than the bond promised, or as the device says; then
     *     {@link #giveUp} is to be called. After an error it is a member if {@link Members#all} has it.
     */
    public boolean add(final Context opened) {
        assert core.holdsLock();
        final Member member = members.coming();
        if (member == null || member.context() != opened) {
            begin(opened);
            return false;
        }
        made = members.rebuildPiece(member, made);
        if (made != Members.ALL) {
            return false;
        }
        member.arrived();
        members.put(member);
        members.coming(null);
        named();
        members.tell(member, MemberChange.ADDED, core.nowNs());
        monitor.added(member);
        members.observers().forEach(MemberObserver::onListChanged);
        return true;
    }

    private void begin(final Context opened) {
        final String name = opened.device().name();
        checkFree(name);
        final Member same = members.on(opened.device());
        if (same != null) {
            throw refused(Errno.EEXIST, name, "it is the device of member " + same.name());
        }
        final int index = seatFor(opened);
        assert index >= 0 : "there is room, as was checked";
        final List<Member> all = members.all();
        final int before = index < all.size() ? all.get(index).occupancies() : Member.NOBODY_YET;
        final Member member = new Member(index, before, opened);
        member.died(); // until all is made on it
        try {
            limits.checkFits("addMember", core, member);
            keys.members(Math.max(all.size(), index + 1));
        } catch (final RuntimeException | Error e) {
            undo(member.cm()::close, e);
            throw e;
        }
        made = Members.NONE;
        members.coming(member);
    }

    /** Nothing is left on an open device that has begun and is no member; it is the caller's again. */
    public void giveUp(final Context opened, final Throwable cause) {
        assert core.holdsLock();
        final Member member = members.coming();
        if (member != null && member.context() == opened) {
            members.coming(null);
            member.died();
            undo(() -> members.dropParts(member), cause);
            undo(member.cm()::close, cause);
        }
    }

    /** What fails while a failure is undone stops nothing of it, and does not hide what came first. */
    public static void undo(final Runnable step, final Throwable cause) {
        try {
            step.run();
        } catch (final RuntimeException | Error e) {
            if (e != cause) {
                cause.addSuppressed(e);
            }
        }
    }

    /** The index that the device had, else a new one, else the first that is free. */
    private int seatFor(final Context opened) {
        int free = -1;
        for (final Member member : members.all()) {
            if (!member.isPresent()) {
                if (MemberSource.isSame(member.context().device(), opened.device())) {
                    return member.index();
                }
                free = free < 0 ? member.index() : free;
            }
        }
        return members.all().size() < QpNumDescriptor.MAX_MEMBERS ? members.all().size() : free;
    }

    /** A member is drained, and leaves once that is done. Idempotent. */
    public void leave(final Member member) {
        assert core.holdsLock();
        if (leaving.add(member)) {
            members.tell(member, MemberChange.LEAVING, core.nowNs());
        }
        core.wakeUp();
    }

    /** It stays after all. */
    public void stay(final Member member) {
        assert core.holdsLock();
        leaving.remove(member);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        if (leaving.isEmpty()) {
            return 0;
        }
        int work = 0;
        for (final Member member : List.copyOf(leaving)) {
            // Its device may die meanwhile; then it is buried like any, and leaves after that.
            if (isIdle(member) && life.retire(member, nowNs)) {
                left(member);
                work++;
            }
        }
        return work;
    }

    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE; // what empties a member makes a turn by itself
    }

    private void left(final Member member) {
        leaving.remove(member);
        members.tell(member, MemberChange.REMOVED, core.nowNs());
        members.observers().forEach(observer -> observer.onLeft(member));
        named();
        monitor.recount();
        source.released(member.context().device());
        members.observers().forEach(MemberObserver::onListChanged);
    }

    private void named() {
        final List<String> names = members.all().stream()
                .filter(Member::isPresent)
                .map(Member::name)
                .toList();
        core.config(core.config().toBuilder().members(names).build());
    }

    /** True when nothing lives on the member or is about to, and others are there to take what may come. */
    private boolean isIdle(final Member member) {
        if (members.observers().stream().anyMatch(observer -> observer.livesOn(member))) {
            return false;
        }
        for (final PathLink link : links.on(member)) {
            if (!isQuestion(link)) {
                return false;
            }
        }
        return members.all().stream().anyMatch(Member::isEligible);
    }

    /** One that nobody has judged yet, or that has its answer: one of datagrams, for as long as its id is open. */
    private static boolean isQuestion(final PathLink link) {
        return link.state() == PathLink.State.REQUESTED || link.state() == PathLink.State.ANSWERED;
    }

    private VerbsException refused(final int errno, final String name, final String why) {
        return new VerbsException("addMember", errno, core.name() + " member " + name, why);
    }
}
