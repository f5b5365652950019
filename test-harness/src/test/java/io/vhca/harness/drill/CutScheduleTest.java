package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.fabric.Cut;
import io.vhca.harness.drill.fabric.CutDriver;
import io.vhca.harness.drill.fabric.CutSchedule;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CutScheduleTest {
    @Test
    void everyCutLiesInItsOwnStretchAndHealsBeforeTheEnd() {
        for (long seed = 0; seed < 200; seed++) {
            final long total = 1_000_000 + seed * 7919;
            for (int cuts = 1; cuts <= 12; cuts++) {
                final List<Cut> schedule = CutSchedule.draw(seed, cuts, total);
                assertThat(schedule).hasSize(cuts);
                for (int i = 0; i < cuts; i++) {
                    final Cut cut = schedule.get(i);
                    assertThat(cut.atBytes()).isBetween(total * i / cuts, total * (i + 1) / cuts - 1);
                    assertThat(cut.atBytes() + cut.healBytes()).isLessThan(total);
                    assertThat(cut.atReceiver()).isEqualTo(schedule.getFirst().atReceiver() ^ i % 2 == 1);
                }
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameCuts() {
        assertThat(CutSchedule.draw(7, 10, 1 << 27)).isEqualTo(CutSchedule.draw(7, 10, 1 << 27));
        assertThat(CutSchedule.draw(7, 10, 1 << 27)).isNotEqualTo(CutSchedule.draw(8, 10, 1 << 27));
    }

    /** However late the failovers come, however far the sender runs meanwhile: all cuts happen, all heal, it ends. */
    @Test
    void theDriverNeverLocksTheSenderOut() {
        for (long seed = 0; seed < 2_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final long total = 1 + random.nextLong(random.nextBoolean() ? 2_000 : 200_000_000);
            final int cuts = random.nextInt(13);
            final boolean runsToTheLimit = random.nextBoolean();
            final CutDriver driver = new CutDriver(CutSchedule.draw(seed, cuts, total), total);
            int cut = 0;
            int healed = 0;
            long acked = 0;
            for (int step = 0; step < 10_000 && (acked < total || driver.isCut()); step++) {
                final long limit = Math.min(total, driver.limitBytes());
                acked = runsToTheLimit ? limit : Math.min(limit, acked + 1 + total / 500);
                switch (driver.onProgress(acked, step)) {
                    case CUT -> cut++;
                    case HEAL -> healed++;
                    case NONE -> {
                        if (driver.isDown() && random.nextInt(3) == 0) {
                            driver.onFailover(acked);
                        }
                    }
                }
            }
            assertThat(acked).as("seed " + seed).isEqualTo(total);
            assertThat(List.of(cut, healed, driver.survived())).as("seed " + seed).containsOnly(cuts);
        }
    }

    /** The same where cuts are healed by time: no failover is needed, and the one that comes changes nothing. */
    @Test
    void healedByTimeTheDriverWaitsForTrafficOnly() {
        for (long seed = 0; seed < 2_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final long total = 1 + random.nextLong(random.nextBoolean() ? 2_000 : 200_000_000);
            final int cuts = random.nextInt(13);
            final long healAfter = 1 + random.nextLong(50);
            final CutDriver driver = new CutDriver(CutSchedule.draw(seed, cuts, total), total, () -> healAfter);
            int cut = 0;
            int healed = 0;
            long cutAt = 0;
            long acked = 0;
            for (int step = 0; step < 20_000 && (acked < total || driver.isCut()); step++) {
                if (!driver.isDown() || random.nextBoolean()) {
                    acked = Math.min(Math.min(total, driver.limitBytes()), acked + 1 + total / 500);
                }
                if (driver.onProgress(acked, step) == CutDriver.Action.CUT) {
                    cut++;
                    cutAt = step;
                }
                if (random.nextInt(3) == 0) {
                    driver.onFailover(acked);
                }
                if (driver.onTime(step) == CutDriver.Action.HEAL) {
                    healed++;
                    assertThat(step - cutAt).as("seed " + seed).isEqualTo(healAfter);
                }
            }
            driver.onProgress(acked, 20_000);
            assertThat(acked).as("seed " + seed).isEqualTo(total);
            assertThat(List.of(cut, healed, driver.survived())).as("seed " + seed).containsOnly(cuts);
        }
    }

    @Test
    void whereNothingIsCutItMayEndAtAnyTime() {
        final CutDriver driver = new CutDriver(List.of(), 1_000);
        assertThat(driver.isAtRest()).isTrue();
        assertThat(driver.limitBytes()).isEqualTo(1_000);
        assertThat(driver.onProgress(500, 1)).isEqualTo(CutDriver.Action.NONE);
        assertThat(driver.end()).isZero();
    }

    /** As where scenarios take turns: some cuts are healed by time, and the others when the connection has moved. */
    @Test
    void eachCutIsHealedInItsOwnWay() {
        for (long seed = 0; seed < 2_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final long total = 200_000 + random.nextLong(200_000_000);
            final int cuts = random.nextInt(13);
            final int[] healed = new int[1];
            final long healAfter = 1 + random.nextLong(50);
            final CutDriver driver = new CutDriver(
                    CutSchedule.draw(seed, cuts, total), total, () -> healed[0] % 2 == 0 ? 0 : healAfter);
            long acked = 0;
            for (int step = 0; step < 40_000 && (acked < total || driver.isCut()); step++) {
                final boolean isByTime = healed[0] % 2 == 1;
                if (!driver.isDown()) {
                    acked = Math.min(Math.min(total, driver.limitBytes()), acked + 1 + total / 500);
                }
                if (driver.onProgress(acked, step) == CutDriver.Action.HEAL) {
                    assertThat(isByTime).as("seed " + seed).isFalse();
                    healed[0]++;
                }
                if (random.nextInt(3) == 0) {
                    driver.onFailover(acked);
                }
                if (driver.onTime(step) == CutDriver.Action.HEAL) {
                    assertThat(isByTime).as("seed " + seed).isTrue();
                    healed[0]++;
                }
            }
            driver.onProgress(acked, 40_000);
            assertThat(acked).as("seed " + seed).isEqualTo(total);
            assertThat(List.of(healed[0], driver.survived())).as("seed " + seed).containsOnly(cuts);
        }
    }
}
