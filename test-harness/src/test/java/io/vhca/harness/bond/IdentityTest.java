package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventChannel;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCore;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the numbers of a bond that was opened as a device tell of each other. */
class IdentityTest {
    private static final long GOLDEN_GAMMA = 0x9e37_79b9_7f4a_7c15L;
    private static final long FIRST_FACTOR = 0xbf58_476d_1ce4_e5b9L;
    private static final long SECOND_FACTOR = 0x94d0_49bb_1331_11ebL;
    private static final int DRAWS = 16;

    /** Undoes {@code z ^ z >>> shift}. */
    private static long unshift(final long value, final int shift) {
        long result = value;
        for (int known = shift; known < Long.SIZE; known += shift) {
            result = value ^ result >>> shift;
        }
        return result;
    }

    /** The inverse of an odd number, by Newton's method: each step doubles the bits that are right. */
    private static long inverse(final long odd) {
        long result = odd;
        for (int i = 0; i < 6; i++) {
            result *= 2 - odd * result;
        }
        return result;
    }

    /** The state of a SplittableRandom that has just given out a number. */
    private static long stateAfter(final long output) {
        final long second = unshift(output, 31) * inverse(SECOND_FACTOR);
        return unshift(unshift(second, 27) * inverse(FIRST_FACTOR), 30);
    }

    private static long output(final long state) {
        final long first = (state ^ state >>> 30) * FIRST_FACTOR;
        final long second = (first ^ first >>> 27) * SECOND_FACTOR;
        return second ^ second >>> 31;
    }

    @Test
    void theIdOfABondDoesNotTellTheSessionsThatItMakesNext() {
        final BondDevice device = new BondDevice(
                BondConfig.builder("bond7").members(List.of("soft2", "soft3")).build());
        try (BondContext bond = (BondContext) device.open();
                CmEventChannel channel = bond.createEventChannel()) {
            final BondCore core = ((BondEventChannel) channel).scope().core();
            final Set<Long> guesses = new HashSet<>();
            for (final long told : new long[] {core.instance(), core.datagramInstance()}) {
                for (int step = 1; step <= DRAWS; step++) {
                    guesses.add(output(stateAfter(told) + step * GOLDEN_GAMMA));
                }
            }
            core.lock();
            try {
                for (int i = 0; i < DRAWS / 2; i++) {
                    assertThat(guesses).doesNotContain(core.random().nextLong());
                }
            } finally {
                core.unlock();
            }
            assertThat(core.instance()).isNotEqualTo(core.datagramInstance());
        }
    }
}
