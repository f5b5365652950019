package io.vhca.bond.member;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.core.PauseBackoff;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The members of a bond by index, the virtual objects that have parts on them, and who is told when one changes.
 * Control lock; any thread may read {@link #all}.
 */
public final class Members extends MemberParts {
    private final BondCore core;
    private final List<Member> all = new CopyOnWriteArrayList<>();
    private final List<MemberObserver> observers = new ArrayList<>();
    private final CompletionWakers wakers;
    private final Runnable wakeUpSoon;
    private Predicate<Member> roomMaker = member -> false;

    public Members(final BondCore core) {
        super(core);
        this.core = core;
        wakers = new CompletionWakers(core);
        wakeUpSoon = core::wakeUpSoon;
    }

    /** Wake the bond's thread when something arrives on one of them for the bond itself. */
    public CompletionWakers wakers() {
        return wakers;
    }

    /** Takes the devices that the bond begins with. */
    public void begin(final Collection<Context> opened) {
        assert core.holdsLock() && all.isEmpty();
        for (final Context device : opened) {
            final Member member = new Member(all.size(), 0, device);
            all.add(member);
            listen(member);
        }
    }

    /** Its device was opened: it wakes the bond's thread by its events, and what it does step by step is traced. */
    public void listen(final Member member) {
        member.context().traceTo(new MemberTracer(core, member.index()));
        member.context().onAsyncEvent(wakeUpSoon);
        listenAgain(member);
    }

    /** The connection manager of its device wakes the bond's thread by the next event. Cheap where it would anyway. */
    public void listenAgain(final Member member) {
        member.cm().onEvent(wakeUpSoon);
    }

    /** All by index, with those that are no members any more. */
    public List<Member> all() {
        return all;
    }

    /** The member of that name, or null. */
    public @Nullable Member named(final String name) {
        assert core.holdsLock();
        for (final Member member : all) {
            if (member.isPresent() && member.name().equals(name)) {
                return member;
            }
        }
        return null;
    }

    /** The member whose device is {@linkplain MemberSource#isSame that adapter}, whatever its name is; or null. */
    public @Nullable Member on(final Device device) {
        assert core.holdsLock();
        for (final Member member : all) {
            if (member.isPresent() && MemberSource.isSame(member.context().device(), device)) {
                return member;
            }
        }
        return null;
    }

    /** Puts a member at its index, in place of one that left, or behind the last one; nowhere when it fails. */
    public void put(final Member member) {
        assert core.holdsLock() && member.index() <= all.size();
        listen(member);
        if (member.index() < all.size()) {
            all.set(member.index(), member);
        } else {
            all.add(member);
        }
    }

    /** True for the alias and for every member's address. */
    public boolean isOwnAddress(final InetAddress address) {
        assert core.holdsLock();
        return address.equals(core.config().alias())
                || all.stream().anyMatch(member -> member.isPresent() && member.address().equals(address));
    }

    /** The address that stands for the bond: the alias, else that of the first member that is present and has one. */
    public InetAddress ownAddress() {
        assert core.holdsLock();
        final InetAddress alias = core.config().alias();
        return alias != null
                ? alias
                : all.stream()
                        .filter(member -> member.isPresent() && !member.isWithoutAddress())
                        .findFirst()
                        .orElseGet(all::getFirst)
                        .address();
    }

    /** What this bond tells its peers of its members: nothing of one that had no address yet. */
    public List<MemberAddress> addresses(final Predicate<Member> which) {
        assert core.holdsLock();
        final List<MemberAddress> list = new ArrayList<>();
        for (final Member member : all) {
            if (which.test(member) && !member.isWithoutAddress()) {
                list.add(new MemberAddress(member.index(), member.address().getAddress()));
            }
        }
        return list;
    }

    /** Says that something changed about a member. */
    public void tell(final Member member, final MemberChange change, final FailureReason reason, final long nowNs) {
        assert core.holdsLock();
        core.events().member(member.name(), member.history().failures(), change, reason, nowNs);
    }

    /** The same where nothing failed. */
    public void tell(final Member member, final MemberChange change, final long nowNs) {
        assert core.holdsLock();
        tell(member, change, FailureReason.NONE, nowNs);
    }

    // ---- room on members --------------------------------------------------------------------------------------------

    /** Who makes room on a member for one more queue pair, where it can. */
    public void roomMaker(final Predicate<Member> maker) {
        assert core.holdsLock();
        roomMaker = maker;
    }

    /**
     * A member has no room for a queue pair that is needed there: true when it may have it now. After pauses only,
     * where that has not helped: who is refused for another reason asks again and again.
     */
    public boolean makeRoom(final Member member) {
        assert core.holdsLock();
        final PauseBackoff pace = member.roomPace();
        final long nowNs = core.nowNs();
        if (!pace.isDue(nowNs) || !roomMaker.test(member)) {
            return false;
        }
        pace.onLook(nowNs);
        return true;
    }

    /** The room that was made was what lacked. */
    public void roomHelped(final Member member) {
        assert core.holdsLock();
        member.roomPace().restart();
    }

    // ---- observers --------------------------------------------------------------------------------------------------

    public void observe(final MemberObserver observer) {
        assert core.holdsLock();
        observers.add(observer);
    }

    /** Who is told, in the order of {@link #observe}. */
    public List<MemberObserver> observers() {
        assert core.holdsLock();
        return observers;
    }
}
