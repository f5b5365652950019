package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwedRingTest {
    private final List<String> told = new ArrayList<>();

    private OwedRing ring(final int capacity) {
        return new OwedRing("bond0", 7, capacity, bytes -> { }, told::add);
    }

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
            try (OwedRing ring = ring(3)) {
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

    /** Somebody writes beyond it, or before it: whoever looks hears of it, and the one that is closed says so once. */
    @Test
    void whoWritesBeyondItIsTold() {
        for (final boolean isEnd : new boolean[] {false, true}) {
            told.clear();
            final OwedRing ring = ring(4);
            owe(ring, 1, 1);
            assertThat(ring.isWhole()).isTrue();
            assertThat(ring.map()).singleElement().asString().startsWith("vCQ 000007 at 0x").endsWith(", 192 bytes");
            NativeMemory.putByte(ring.nativeBlock().parts().getFirst().marker(isEnd), (byte) 0x41);
            assertThat(ring.isWhole()).isFalse();
            assertThat(ring.damage()).startsWith("the marker " + (isEnd ? "behind" : "before") + " vCQ 000007 at ");
            assertThat(told).as("nobody has looked").isEmpty();
            ring.onOverrun();
            ring.close();
            assertThat(told).singleElement().asString().contains("vCQ 000007");
        }
    }

    /** The memory that it leaves is looked at for the last time. */
    @Test
    void whoGrowsLooks() {
        final OwedRing ring = ring(1);
        owe(ring, 1, 1);
        NativeMemory.putByte(ring.nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
        owe(ring, 2, 1);
        assertThat(told).hasSize(1);
        assertThat(ring.isWhole()).as("the new one").isTrue();
        assertThat(drain(ring, 2)).containsExactly(1L, 2L);
        ring.close();
        assertThat(told).hasSize(1);
    }

    @Test
    void purgeDropsOneQpAndKeepsTheOthersInOrderForEveryMix() {
        for (int offset = 0; offset < 8; offset++) {
            for (int mix = 0; mix < 1 << 8; mix++) {
                try (OwedRing ring = ring(8)) {
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
