package io.vhca.bond.placement;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Knows which members can carry traffic: by port events at once, and by looking every {@code miimon}. Chooses the
 * active member. Control lock.
 */
public final class LinkMonitor implements DutyCycle {
    private final BondCore core;
    private final Members members;
    /** Any thread may ask for it. */
    private volatile Member active;
    private @Nullable Member ordered;
    private boolean bondUp;
    private boolean looked;
    private long nextLookNs;

    public LinkMonitor(final BondCore core, final Members members) {
        this.core = core;
        this.members = members;
        active = primary();
        for (final Member member : members.all()) {
            member.portActive(isPortActiveNow(member));
        }
        active = best();
        bondUp = isBondUp();
    }

    /** It is known by now which members have no address to listen at: those are down from the beginning. */
    public void begin() {
        assert core.holdsLock();
        members.all().stream().filter(Member::hasLostAddress).forEach(member -> member.portActive(false));
        active = best();
        bondUp = isBondUp();
    }

    /** The member that carries new connections. */
    public Member active() {
        return active;
    }

    /** The member of that name, where it is one now; else the first. */
    private Member primary() {
        final String name = core.config().primary();
        Member first = null;
        for (final Member member : members.all()) {
            if (member.isPresent()) {
                if (member.name().equals(name)) {
                    return member;
                }
                first = first == null ? member : first;
            }
        }
        return first == null ? members.all().getFirst() : first;
    }

    /**
     * The member that connections shall be moved to: what an operator made active, until it fails; else the primary,
     * where one is named and {@code primary_reselect} says so; else none.
     */
    public @Nullable Member chosen() {
        assert core.holdsLock();
        final Member byOperator = ordered;
        if (byOperator != null) {
            return byOperator;
        }
        final String name = core.config().primary();
        final Member primary = primary();
        return primary.name().equals(name) && primary.isEligible() && takesOver(primary) ? primary : null;
    }

    /** Whether the primary, which is up, becomes the active member again. */
    private boolean takesOver(final Member primary) {
        return switch (core.config().primaryReselect()) {
            case ALWAYS -> true;
            case BETTER -> active == primary || primary.speedMbps() > active.speedMbps();
            case FAILURE -> false;
        };
    }

    /** The operator changed options: they count from the next turn on, a new primary before a member made active. */
    public void optionsChanged(final boolean hasNewPrimary) {
        assert core.holdsLock();
        if (hasNewPrimary) {
            ordered = null;
        }
        looked = false;
        recount();
    }

    /** An operator does not want to wait: ports, devices that are gone and paths are looked at in the next turn. */
    public void lookAgain() {
        assert core.holdsLock();
        looked = false;
        final long nowNs = core.nowNs();
        members.observers().forEach(observer -> observer.onLookAgain(nowNs));
        core.wakeUp();
    }

    /** An operator makes a member active. */
    public void activate(final Member member) {
        assert core.holdsLock();
        ordered = member;
        forgive(member);
        active(member);
    }

    private void forgive(final Member member) {
        member.history().forgive();
        members.observers().forEach(observer -> observer.onForgiven(member));
    }

    private void active(final Member next) {
        final Member before = active;
        active = next;
        if (next != before) {
            core.events().active(before.name(), next.name(), core.nowNs());
        }
    }

    /** An operator takes a member out of use, or back into it. */
    public void drained(final Member member, final boolean value) {
        assert core.holdsLock();
        if (value != member.isDrained()) {
            member.drained(value);
            members.tell(member, value ? MemberChange.DRAINED : MemberChange.RESUMED, core.nowNs());
            // Who drains one wants the others to be used.
            members.all().stream().filter(other -> (other == member) != value).forEach(this::forgive);
        }
        choose();
    }

    /** True while as many members are up as {@code min_links} demands: then the bond's port is active. */
    public boolean isBondUp() {
        return members.all().stream().filter(Member::isUp).count() >= core.config().minLinks();
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        if (looked && nowNs - nextLookNs < 0) {
            return 0;
        }
        looked = true;
        reselect(nowNs);
        nextLookNs = nowNs + core.config().miimonNs();
        int work = 0;
        for (final Member member : members.all()) {
            if (member.isAlive()) {
                if (member.hasLostAddress()) {
                    addressChanged(member, nowNs);
                }
                final boolean now = isPortActiveNow(member) && !member.hasLostAddress();
                if (now != member.isPortActive() || now && member.isGoingDown()) {
                    work++;
                    if (now) {
                        up(member, nowNs);
                    } else {
                        down(member, FailureReason.PORT_ERR, nowNs);
                    }
                }
            }
        }
        return work;
    }

    @Override
    public long nextDeadlineNs() {
        return nextLookNs;
    }

    /** Asks the device, whose event may still be on the way. */
    public boolean isPortActiveNow(final Member member) {
        try {
            final PortAttributes port = member.context().queryPort(Member.PORT);
            member.speedMbps(port.activeSpeedMbps());
            return port.state() == PortState.ACTIVE;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    public void down(final Member member, final FailureReason reason, final long nowNs) {
        assert core.holdsLock();
        if (!member.isPortActive()
                || reason == FailureReason.PORT_ERR && member.goingDownFor(nowNs) < core.config().downdelayNs()) {
            return;
        }
        member.settled();
        member.portActive(false);
        lost(member, MemberChange.DOWN, reason, nowNs);
    }

    /** The device is gone: DEVICE_FATAL, or the CM says that it was removed. {@link MemberLife} looks after it. */
    public void died(final Member member, final FailureReason reason, final long nowNs) {
        assert core.holdsLock();
        if (member.isAlive()) {
            member.died();
            try {
                lost(member, MemberChange.DIED, reason, nowNs);
            } finally {
                members.observers().forEach(observer -> observer.onDied(member, nowNs)); // else nobody buries it
            }
        }
    }

    /** The device is back and everything stands on it: says so, and looks at its port at the next turn. */
    void returned(final Member member, final long nowNs) {
        members.tell(member, MemberChange.RETURNED, nowNs);
        looked = false;
        core.wakeUp();
    }

    /** A new member, on which everything stands. */
    void added(final Member member) {
        if (isPortActiveNow(member)) {
            up(member, core.nowNs());
        }
    }

    private void lost(
            final Member member, final MemberChange change, final FailureReason reason, final long nowNs) {
        member.history().failed(nowNs);
        members.tell(member, change, reason, nowNs);
        choose();
        members.observers().forEach(observer -> observer.onDown(member, reason, nowNs));
        recount();
    }

    /** Tells the application where the bond's own port went down or up. */
    void recount() {
        assert core.holdsLock();
        if (bondUp != isBondUp()) {
            bondUp = !bondUp;
            core.raise(AsyncEvent.ofPort(bondUp ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR, 1));
        }
    }

    public void up(final Member member, final long nowNs) {
        assert core.holdsLock();
        member.settled();
        if (!member.isAlive() || member.isPortActive() || member.hasLostAddress()) {
            return;
        }
        member.portActive(true);
        members.partsUp(member);
        member.history().cameUp(nowNs);
        members.tell(member, MemberChange.UP, nowNs);
        choose();
        preferenceChanged();
        members.observers().forEach(observer -> observer.onUp(member, nowNs));
        members.observers().forEach(MemberObserver::onListChanged);
        recount();
    }

    public void addressChanged(final Member member, final long nowNs) {
        assert core.holdsLock();
        if (!member.isAlive()) {
            return;
        }
        InetAddress now = null;
        boolean hasMoved = false;
        try {
            hasMoved = member.hasGidMoved();
            now = member.addressNow();
        } catch (final VerbsException e) {
            // It lost its last address, or its device is dying and the word of that is still on the way.
            core.counters().ignored(e);
        }
        if (now == null) {
            member.lostAddress();
            down(member, FailureReason.ADDRESS_LOST, nowNs);
        } else if (member.hasLostAddress() || !now.equals(member.address())) {
            member.address(now);
            down(member, FailureReason.ADDRESS_LOST, nowNs);
            looked = false;
        } else if (hasMoved) {
            // Queue pairs and address handles name its place, and send nothing more.
            members.observers().forEach(observer -> observer.onGidMoved(member));
        }
    }

    /** A primary that was chosen again becomes active once it was up for {@code updelay}. */
    private void reselect(final long nowNs) {
        final Member next = chosen();
        if (next != null && next != active && next.isSteady(core.config().updelayNs(), nowNs)) {
            active(next);
            preferenceChanged();
        }
    }

    private void preferenceChanged() {
        members.observers().forEach(MemberObserver::onPreferenceChanged);
    }

    private void choose() {
        if (ordered != null && !ordered.isEligible()) {
            ordered = null;
        }
        active(best());
    }

    /** The active member stays while it may; else the primary, else the first that may. */
    private Member best() {
        if (active.isEligible()) {
            return active;
        }
        final Member primary = primary();
        if (primary.isEligible()) {
            return primary;
        }
        for (final Member member : members.all()) {
            if (member.isEligible()) {
                return member;
            }
        }
        return active;
    }
}
