package io.vhca.harness.drill.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StarvationTideTest {
    private static List<Integer> shares(final int most, final boolean comesAndGoes) {
        final List<Integer> shares = new ArrayList<>();
        for (int minute = 0; minute < 8; minute++) {
            shares.add(StarvationTide.share(most, comesAndGoes, TimeUnit.MINUTES.toNanos(minute)));
            assertThat(StarvationTide.share(most, comesAndGoes, TimeUnit.MINUTES.toNanos(minute + 1) - 1))
                    .isEqualTo(shares.getLast());
        }
        return shares;
    }

    @Test
    void itComesAndGoesAMinuteEachAndHarder() {
        assertThat(shares(10, true)).containsExactly(1, 2, 1, 5, 1, 10, 1, 2);
        assertThat(shares(2, true)).containsExactly(1, 2, 1, 2, 1, 2, 1, 2);
    }

    @Test
    void elseItIsTheSameAllTheTime() {
        assertThat(shares(4, false)).containsOnly(4);
        assertThat(shares(1, false)).containsOnly(1);
    }
}
