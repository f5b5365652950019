package io.vhca.bond.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class VirtualKeyDescriptorTest {
    @Test
    void indexAndGenerationComeBackAtTheirEnds() {
        for (final int index : new int[] {0, 1, VirtualKeyDescriptor.MAX_INDEX - 1}) {
            for (final int generation : new int[] {0, 1, (1 << VirtualKeyDescriptor.GENERATION_BITS) - 1}) {
                final int key = VirtualKeyDescriptor.key(index, generation);
                assertThat(VirtualKeyDescriptor.index(key)).isEqualTo(index);
                assertThat(VirtualKeyDescriptor.generation(key)).isEqualTo(generation);
                assertThat(key).as("no key is the invalid one").isNotEqualTo(-1);
            }
        }
        assertThat(VirtualKeyDescriptor.generation(VirtualKeyDescriptor.key(3, 1 << 12))).isZero();
    }

    @Test
    void aLedgerWordIsBigEndian() {
        try (Arena arena = Arena.ofConfined()) {
            final LedgerWord word = new LedgerWord(arena.allocate(LedgerWord.SIZE, 8).address(), 9);
            NativeMemory.putByte(word.address() + 7, (byte) 5);
            assertThat(word.read()).isEqualTo(5);
            word.clear();
            assertThat(word.read()).isZero();
        }
    }
}
