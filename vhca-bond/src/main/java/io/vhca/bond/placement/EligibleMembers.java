package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.util.List;

/** The members that may be used, counted round. Control lock. */
final class EligibleMembers {
    private final Members members;
    private final LinkMonitor monitor;

    EligibleMembers(final Members members, final LinkMonitor monitor) {
        this.members = members;
        this.monitor = monitor;
    }

    /** The one of a place, at least 0; the active member where none may be used. */
    Member at(final int place) {
        final List<Member> eligible =
                members.all().stream().filter(Member::isEligible).toList();
        return eligible.isEmpty() ? monitor.active() : eligible.get(place % eligible.size());
    }
}
