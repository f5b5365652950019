package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.fake.MemberBench;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemberLoadsTest {
    private final MemberBench bench = new MemberBench(3, options -> options);
    private final MemberLoads loads = new MemberLoads(bench.members);

    @AfterEach
    void close() {
        bench.close();
    }

    private Set<Integer> chosen() {
        final Set<Integer> chosen = new HashSet<>();
        for (int turn = -3; turn < 6; turn++) {
            chosen.add(loads.leastLoaded(turn, bench.member(2)));
        }
        return chosen;
    }

    @Test
    void withoutAMemberInUseItIsTheOther() {
        assertThat(chosen()).containsExactly(2);
    }

    @Test
    void beforeAnythingWasSeenAllAreAlike() {
        upAll();
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1, 2);
    }

    private void upAll() {
        bench.members.all().forEach(member -> {
            member.portActive(true);
            member.speedMbps(1_000);
        });
    }

    private void seen(final double speed, final double... shares) {
        final double[] speeds = new double[shares.length];
        Arrays.fill(speeds, speed);
        loads.seen(shares, speeds);
    }

    @Test
    void theIdlestIsChosenAndThoseThatAreNearlyAsIdle() {
        upAll();
        seen(1_000, 100, 105, 200);
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1);
        seen(1_000, 100, 105, 20);
        assertThat(chosen()).containsExactly(2);
        bench.member(2).drained(true);
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void nextToNothingCountsAsNothing() {
        upAll();
        seen(1_000, 1, 0, 3);
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1, 2);
    }

    /** Where a member does not know its speed, loads are bytes a second, of those that know theirs as well. */
    @Test
    void nextToNothingIsTheSameInEitherUnit() {
        upAll();
        seen(1, 3_000, 0, 4_000);
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1, 2);
        seen(1, 5_000, 0, 9_000);
        assertThat(chosen()).containsExactly(1);
    }

    @Test
    void whatMayNotBeUsedHasNoLoad() {
        upAll();
        loads.seen(new double[] {100, 0, 200}, new double[] {1_000, 0, 1_000});
        assertThat(chosen()).containsExactly(1);
    }
}
