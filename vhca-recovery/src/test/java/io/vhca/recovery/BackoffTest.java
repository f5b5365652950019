package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void pausesDoubleUpToTheLongestAndTheLowerHalfOfEachIsRandom() {
        final long[] most = {10, 20, 40, 80, 80, 80};
        for (int seed = 0; seed < 200; seed++) {
            final Backoff backoff = new Backoff(SmallBounds.CONFIG, new Random(seed));
            for (int round = 0; round < 2; round++) {
                for (final long longestNs : most) {
                    assertThat(backoff.nextNs()).isBetween(longestNs / 2, longestNs);
                }
                backoff.reset();
            }
        }
    }

    @Test
    void twoSidesDoNotStayInStep() {
        final Backoff one = new Backoff(SmallBounds.CONFIG, new Random(1));
        final Backoff other = new Backoff(SmallBounds.CONFIG, new Random(2));
        int different = 0;
        for (int i = 0; i < 20; i++) {
            different += one.nextNs() == other.nextNs() ? 0 : 1;
        }
        assertThat(different).isGreaterThan(10);
    }
}
