package io.vhca.harness.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.TurnRule;
import io.vhca.harness.sim.fault.starve.HostSlow;
import io.vhca.harness.sim.fault.starve.TurnsInBursts;
import io.vhca.harness.sim.fault.starve.TurnsLate;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When a starved thread runs. Times begin just before the clock wraps. */
class ThreadTurnsTest {
    private static final long START_NS = Math.subtractExact(Long.MAX_VALUE, 50);
    private static final Set<HostThread> ALL = EnumSet.allOf(HostThread.class);

    private final ThreadTurns turns = new ThreadTurns(new SplittableRandom(1));

    @Test
    void aThreadThatNobodyStarvesRunsWheneverAnybodyDoes() {
        assertThat(turns.mayRun(START_NS)).isTrue();
        turns.ran(START_NS);
        assertThat(turns.mayRun(START_NS)).isTrue();
        assertThat(turns.deadlineNs(START_NS + 7)).isEqualTo(START_NS + 7);
        assertThat(turns.deadlineNs(Deadlines.NONE)).isEqualTo(Deadlines.NONE);
    }

    @Test
    void oneOfASlowHostWaitsAfterEachTurnAndIsWokenByWhatHappens() {
        final TurnRule slow = new HostSlow(Side.LEFT, ALL, 100);
        turns.starve(slow);
        assertThat(turns.mayRun(START_NS)).isTrue();
        turns.ran(START_NS);
        assertThat(turns.deadlineNs(Deadlines.NONE)).as("nothing happened").isEqualTo(Deadlines.NONE);
        assertThat(turns.deadlineNs(START_NS + 20)).as("its own timer waits").isEqualTo(START_NS + 100);
        assertThat(turns.deadlineNs(START_NS + 300)).isEqualTo(START_NS + 300);
        assertThat(turns.mayRun(START_NS + 99)).isFalse();
        assertThat(turns.deadlineNs(Deadlines.NONE)).as("something did").isEqualTo(START_NS + 100);
        assertThat(turns.mayRun(START_NS + 100)).isTrue();
    }

    @Test
    void stoppedAndContinuedItRunsInItsShareOfTheTime() {
        turns.starve(new TurnsInBursts(Side.LEFT, 90, 10));
        int ran = 0;
        for (long ns = 0; ns < 1_000; ns++) {
            final boolean mayRun = turns.mayRun(START_NS + ns);
            assertThat(mayRun).as("after %d", ns).isEqualTo(ns % 100 >= 90);
            ran += mayRun ? 1 : 0;
            turns.ran(START_NS + ns);
        }
        assertThat(ran).isEqualTo(100);
    }

    @Test
    void lateTurnsAreLateByLessThanTheirMost() {
        turns.starve(new TurnsLate(Side.LEFT, ALL, 100));
        long longest = 0;
        long last = START_NS;
        for (long ns = START_NS; ns - START_NS < 10_000; ns++) {
            if (turns.mayRun(ns)) {
                longest = Math.max(longest, ns - last);
                last = ns;
                turns.ran(ns);
            }
        }
        assertThat(longest).isBetween(50L, 100L);
    }

    @Test
    void ofTwoRulesTheLongerWaitCountsAndTheOneThatIsLeftGoesOn() {
        final TurnRule slow = new HostSlow(Side.LEFT, ALL, 100);
        final TurnRule slower = new HostSlow(Side.LEFT, ALL, 300);
        turns.starve(slow);
        turns.starve(slower);
        turns.ran(START_NS);
        assertThat(turns.mayRun(START_NS + 299)).isFalse();
        turns.feed(slower);
        assertThat(turns.mayRun(START_NS + 299)).as("fed").isTrue();
        turns.ran(START_NS + 299);
        assertThat(turns.mayRun(START_NS + 398)).isFalse();
        assertThat(turns.mayRun(START_NS + 399)).isTrue();
    }

    @Test
    void aClockThatJumpsIsAheadForGood() {
        final HostTurns host = new HostTurns(1, Side.LEFT);
        host.jumpClock(1_000);
        host.jumpClock(10);
        assertThat(host.clockNs(START_NS)).isEqualTo(START_NS + 1_010);
        assertThat(host.whenNs(START_NS + 1_010)).isEqualTo(START_NS);
        assertThat(host.whenNs(Deadlines.NONE)).isEqualTo(Deadlines.NONE);
    }
}
