package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.fake.MemberBench;
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

    @Test
    void theIdlestIsChosenAndThoseThatAreNearlyAsIdle() {
        upAll();
        loads.seen(new double[] {100, 105, 200});
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1);
        loads.seen(new double[] {100, 105, 20});
        assertThat(chosen()).containsExactly(2);
        bench.member(2).drained(true);
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void nextToNothingCountsAsNothing() {
        upAll();
        loads.seen(new double[] {1, 0, 3});
        assertThat(chosen()).containsExactlyInAnyOrder(0, 1, 2);
    }
}
