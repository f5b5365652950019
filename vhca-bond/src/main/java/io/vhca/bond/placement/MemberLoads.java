package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import java.util.List;

/** How much each member has to do, as {@link LoadSampler} saw last. Control lock. */
public final class MemberLoads {
    private final Members members;
    private double[] loads = new double[0];
    /** What the loads are shares of; all 1 where they are bytes a second. */
    private double[] speeds = new double[0];

    public MemberLoads(final Members members) {
        this.members = members;
    }

    /**
     * By index of the member.
     *
     * @param ofMembers the share of its speed that is in use
     * @param by        its speed, of which that is a share; 0 where it may not be used
     */
    void seen(final double[] ofMembers, final double[] by) {
        loads = ofMembers;
        speeds = by;
    }

    /**
     * Index of the member for a new vQP: of those that have the least to do, one after another.
     *
     * @param turn      counts vQPs
     * @param otherwise where none may be used
     */
    int leastLoaded(final int turn, final Member otherwise) {
        final List<Member> eligible =
                members.all().stream().filter(Member::isEligible).toList();
        final double least = eligible.stream().mapToDouble(this::load).min().orElse(0);
        final List<Member> idlest = eligible.stream()
                .filter(member -> load(member) <= least / (1 - LoadBalance.LEAST_GAIN))
                .toList();
        return idlest.isEmpty()
                ? otherwise.index()
                : idlest.get((turn & Integer.MAX_VALUE) % idlest.size()).index();
    }

    /** What is next to nothing counts as nothing. */
    private double load(final Member member) {
        final int index = member.index();
        return index < loads.length && loads[index] * speeds[index] >= LoadBalance.LEAST_LOAD ? loads[index] : 0;
    }
}
