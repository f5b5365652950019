package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What {@link Rounds} says of the rounds of a benchmark. */
class RoundsTest {
    /** Ranks of the tables for the sign test: of 11 values the 2nd to the 10th, of 20 the 6th to the 15th. */
    @Test
    void theMedianLiesBetweenTheRanksOfTheSignTest() {
        assertThat(new int[] {Rounds.outside(1), Rounds.outside(5), Rounds.outside(6), Rounds.outside(11),
                    Rounds.outside(20), Rounds.outside(33)})
                .containsExactly(-1, -1, 0, 1, 5, 10);
    }

    @Test
    void aRatioIsToldWithWhatItIsCertainBy() {
        final double[] base = new double[11];
        final double[] own = new double[11];
        for (int i = 0; i < own.length; i++) {
            base[i] = 2;
            own[i] = 2 * (0.90 + i * 0.02);
        }

        final BenchRow row = Rounds.ratio("own / base", own, base, 0.98, false);

        assertThat(row).isEqualTo(new BenchRow(
                "own / base", "1.000 (0.920 .. 1.080; rounds 0.90 .. 1.10)", "at least 0.98", true));
    }

    @Test
    void ofOneRoundNothingIsCertain() {
        final double[] one = {1};

        final BenchRow row = Rounds.ratio("own / base", one, one, 0.98, true);

        assertThat(row).isEqualTo(new BenchRow("own / base", "1.000 (rounds 1.00 .. 1.00)", "at most 0.98", false));
    }
}
