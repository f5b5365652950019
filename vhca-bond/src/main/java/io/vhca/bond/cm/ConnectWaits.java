package io.vhca.bond.cm;

import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.TimedAction;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.util.ArrayList;
import java.util.List;

/** What waits until some member is up, or until a moment. Control lock. */
public final class ConnectWaits implements DutyCycle {
    private final Members members;
    private final List<Wait> waits = new ArrayList<>();

    private record Wait(long untilNs, boolean isForMember, TimedAction action) {
        private boolean isOver(final boolean isUp, final long nowNs) {
            return isForMember && isUp || nowNs - untilNs >= 0;
        }
    }

    public ConnectWaits(final Members members) {
        this.members = members;
    }

    /** Runs the action once, in a turn in which a member is up, or in the first after the deadline. */
    void forMember(final long deadlineNs, final TimedAction action) {
        waits.add(new Wait(deadlineNs, true, action));
    }

    /** Runs the action once, in the first turn at that time or later. */
    void until(final long atNs, final TimedAction action) {
        waits.add(new Wait(atNs, false, action));
    }

    @Override
    public int doWork(final long nowNs) {
        if (waits.isEmpty()) {
            return 0;
        }
        final boolean isUp = members.all().stream().anyMatch(Member::isEligible);
        final List<Wait> due = waits.stream().filter(wait -> wait.isOver(isUp, nowNs)).toList();
        for (final Wait wait : due) {
            waits.remove(wait); // one by one: where an action fails the others are due still
            wait.action.run(nowNs);
        }
        return due.size();
    }

    /** The earliest moment; {@link Long#MAX_VALUE} for none. A member that comes up makes a turn by itself. */
    @Override
    public long nextDeadlineNs() {
        final EarliestDeadline next = new EarliestDeadline();
        waits.forEach(wait -> next.add(wait.untilNs));
        return next.atNs();
    }
}
