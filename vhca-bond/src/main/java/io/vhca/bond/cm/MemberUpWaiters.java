package io.vhca.bond.cm;

import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.TimedAction;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.util.ArrayList;
import java.util.List;

/** What waits until some member is up, or until it is too late. Control lock. */
public final class MemberUpWaiters implements DutyCycle {
    private final Members members;
    private final List<Wait> waits = new ArrayList<>();

    private record Wait(long deadlineNs, TimedAction action) {}

    public MemberUpWaiters(final Members members) {
        this.members = members;
    }

    /** Runs the action once, in a turn in which a member is up, or in the first after the deadline. */
    public void add(final long deadlineNs, final TimedAction action) {
        waits.add(new Wait(deadlineNs, action));
    }

    @Override
    public int doWork(final long nowNs) {
        if (waits.isEmpty()) {
            return 0;
        }
        final boolean isUp = members.all().stream().anyMatch(Member::isEligible);
        final List<Wait> due = waits.stream().filter(wait -> isUp || nowNs - wait.deadlineNs >= 0).toList();
        waits.removeAll(due);
        due.forEach(wait -> wait.action.run(nowNs));
        return due.size();
    }

    /** The earliest deadline; {@link Long#MAX_VALUE} for none. A member that comes up makes a turn by itself. */
    @Override
    public long nextDeadlineNs() {
        final EarliestDeadline next = new EarliestDeadline();
        waits.forEach(wait -> next.add(wait.deadlineNs));
        return next.atNs();
    }
}
