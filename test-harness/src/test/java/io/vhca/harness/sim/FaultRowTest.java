package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultDice;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Odds;
import io.vhca.harness.sim.fault.Packet;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a new kind of fault costs: a class and a row. This one lives here, and nothing else knows of it. */
class FaultRowTest {
    private static final int SEEDS = 40;
    private static final int FEW_SEEDS = 5;
    private static final FaultKind ROW = FaultKind.of(Pause.LABEL, Odds.of(500, 500), Pause::draw);
    private static final SimOptions OPTIONS = SimOptions.FULL.with(ROW);

    /**
     * All that one side sends waits for a while, several times.
     *
     * @param ends how often it ended, for the test to see: one element
     */
    private record Pause(Side sender, long delayNs, List<Integer> ends) implements Fault {
        private static final String LABEL = "sender pauses";

        static TimedFault draw(final FaultDice dice) {
            return new TimedFault(
                    new Pause(dice.side(), dice.delayNs(), new ArrayList<>(List.of(0))),
                    new Timing.Period(dice.packet(), dice.outageNs(), 3));
        }

        @Override
        public String label() {
            return LABEL;
        }

        @Override
        public Damage damage() {
            return Damage.PROCESS;
        }

        @Override
        public boolean begin(final FaultTarget target) {
            target.blockTransmit(sender, 0, true);
            return true;
        }

        @Override
        public void end(final FaultTarget target) {
            target.blockTransmit(sender, 0, false);
            ends.set(0, ends.getFirst() + 1);
        }

        @Override
        public void judge(final Packet packet, final SplittableRandom random) {
            if (packet.sender() == sender) {
                packet.delay(delayNs);
            }
        }

        @Override
        public Set<Effect> effects() {
            return Set.of(Effect.SMALLEST_MTU);
        }

        @Override
        public String toString() {
            return "sender " + sender.label();
        }
    }

    private static boolean isPause(final TimedFault timed) {
        return timed.fault() instanceof Pause;
    }

    /** The first scenario from a seed on that has the fault. */
    private static Scenario drawn(final long fromSeed) {
        long seed = fromSeed;
        while (SimRunner.draw(seed, OPTIONS).faults().stream().noneMatch(FaultRowTest::isPause)) {
            seed++;
        }
        return SimRunner.draw(seed, OPTIONS);
    }

    @Test
    void itIsDrawnAsOftenAsItsRowSays() {
        int has = 0;
        for (long seed = 0; seed < 1_000; seed++) {
            has += SimRunner.draw(seed, OPTIONS).faults().stream().anyMatch(FaultRowTest::isPause) ? 1 : 0;
        }
        assertThat(has).isBetween(300, 800);
    }

    @Test
    void itIsDescribedAndCounts() {
        final Scenario scenario = drawn(1);
        assertThat(scenario.describe()).contains("fault: sender pauses, from packet ", ", x3: sender ");
        assertThat(scenario.mustSurvive()).as("its damage is that of a process").isFalse();
        assertThat(scenario.leastMtuBytes()).as("its effect").isEqualTo(256);
    }

    @Test
    void itBeginsJudgesPacketsAndEnds() {
        int ended = 0;
        int hits = 0;
        try (WorkerMemory memory = new WorkerMemory()) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                final RunResult result = SimRunner.run(seed, OPTIONS, Recording.ALL, memory);
                assertThat(result.violations()).as("seed %d", seed).isEmpty();
                final List<TimedFault> faults = result.scenario().faults();
                for (int i = 0; i < faults.size(); i++) {
                    if (faults.get(i).fault() instanceof Pause pause && pause.ends().getFirst() >= 3) {
                        ended++;
                        hits += result.hits()[i];
                        assertThat(result.history()).contains(
                                "fault " + i + " begins", "fault " + i + " hits packet", "fault " + i + " ends");
                    }
                }
            }
        }
        assertThat(ended).isGreaterThan(SEEDS / 8);
        assertThat(hits).as("begins and packets that are late").isGreaterThan(4 * ended);
    }

    @Test
    void itIsASummarysRow() throws InterruptedException {
        final SimRunner runner = new SimRunner(OPTIONS, 1, FEW_SEEDS, 1, 1);
        runner.run(bad -> assertThat(bad.violations()).isEmpty());
        assertThat(runner.summary().hits(Pause.LABEL)).isPositive();
        assertThat(runner.summary().table(1)).containsPattern("sender pauses +[1-9]");
    }

    @Test
    void itIsLeftOutOrStrikesOnceWhereThatIsEnough() {
        final Scenario bad = drawn(1);
        final Scenario needed = Shrinker.shrink(bad, candidate -> candidate.faults().stream().anyMatch(
                FaultRowTest::isPause));
        assertThat(needed.faults()).hasSize(1).allMatch(FaultRowTest::isPause);
        assertThat(needed.describe()).contains("sender pauses").doesNotContain("x3");
        assertThat(Shrinker.shrink(bad, candidate -> true).faults()).isEmpty();
    }
}
