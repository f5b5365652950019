package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwedRingTest {
    private static void owe(final OwedRing ring, final long wrId, final int qpNum) {
        final long entry = ring.claim();
        assertThat(NativeMemory.getLong(entry + WcDescriptor.WR_ID_OFFSET)).isZero();
        NativeMemory.putLong(entry + WcDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putInt(entry + WcDescriptor.QP_NUM_OFFSET, qpNum);
        ring.commit();
    }

    private static List<Long> drain(final OwedRing ring, final int max) {
        try (Arena arena = Arena.ofConfined()) {
            final long to = arena.allocate((long) max * WcDescriptor.SIZE, 8).address();
            final List<Long> ids = new ArrayList<>();
            final int count = ring.drainTo(to, max);
            for (int i = 0; i < count; i++) {
                ids.add(NativeMemory.getLong(to + (long) i * WcDescriptor.SIZE + WcDescriptor.WR_ID_OFFSET));
            }
            return ids;
        }
    }

    @Test
    void orderSurvivesGrowthFromEveryOffset() {
        for (int offset = 0; offset < 9; offset++) {
            try (OwedRing ring = new OwedRing(3, bytes -> { })) {
                for (int i = 0; i < offset; i++) {
                    owe(ring, 100 + i, 1);
                    assertThat(drain(ring, 1)).containsExactly(100L + i);
                }
                for (int i = 1; i <= 9; i++) {
                    owe(ring, i, 1);
                }
                assertThat(drain(ring, 4)).containsExactly(1L, 2L, 3L, 4L);
                assertThat(drain(ring, 9)).containsExactly(5L, 6L, 7L, 8L, 9L);
                assertThat(ring.isEmpty()).isTrue();
            }
        }
    }

    @Test
    void purgeDropsOneQpAndKeepsTheOthersInOrderForEveryMix() {
        for (int offset = 0; offset < 8; offset++) {
            for (int mix = 0; mix < 1 << 8; mix++) {
                try (OwedRing ring = new OwedRing(8, bytes -> { })) {
                    for (int i = 0; i < offset; i++) {
                        owe(ring, 0, 1);
                    }
                    drain(ring, 8);
                    final List<Long> kept = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        final int qpNum = mix >> i & 1;
                        owe(ring, i, qpNum);
                        if (qpNum == 0) {
                            kept.add((long) i);
                        }
                    }
                    ring.purge(1);
                    assertThat(drain(ring, 8)).isEqualTo(kept);
                }
            }
        }
    }
}
