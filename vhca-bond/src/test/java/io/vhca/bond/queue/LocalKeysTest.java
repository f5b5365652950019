package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.wire.VirtualKeyDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalKeysTest {
    @Test
    void keyZeroOfAForgetfulApplicationIsNotValid() {
        final LocalKeys keys = new LocalKeys(2);
        assertThat(keys.snapshot().isValid(0)).isFalse();
        assertThat(keys.snapshot().lkey(0, 0)).isEqualTo(LocalKeys.INVALID);
        assertThat(keys.snapshot().rkey(0, 1)).isEqualTo(LocalKeys.INVALID);
    }

    @Test
    void aReusedIndexHasAnotherGenerationAndNoKeysOfTheFormerRegion() {
        final LocalKeys keys = new LocalKeys(2);
        final int first = keys.allocate();
        keys.bind(first, 1, 11, 12);
        assertThat(keys.snapshot().lkey(first, 1)).isEqualTo(11);
        assertThat(keys.snapshot().rkey(first, 1)).isEqualTo(12);
        assertThat(keys.snapshot().lkey(first, 0)).isEqualTo(LocalKeys.INVALID);
        keys.release(first);
        assertThat(keys.snapshot().isValid(first)).isFalse();
        assertThat(keys.snapshot().lkey(first, 1)).isEqualTo(LocalKeys.INVALID);
        final int second = keys.allocate();
        assertThat(VirtualKeyDescriptor.index(second)).isEqualTo(VirtualKeyDescriptor.index(first));
        assertThat(second).isNotEqualTo(first);
        assertThat(keys.snapshot().isValid(first)).isFalse();
        assertThat(keys.snapshot().lkey(second, 1)).isEqualTo(LocalKeys.INVALID);
    }

    /** A peer that asked for it in between was told that there is none. */
    @Test
    void aKeyThatComesRoundIsToldBeforeAnybodyUsesIt() {
        final LocalKeys keys = new LocalKeys(1);
        final int first = keys.allocate();
        keys.release(first);
        for (int life = 1; life < 4_096; life++) {
            keys.release(keys.allocate());
        }
        final List<Integer> told = new ArrayList<>();
        keys.onChange(told::add);
        assertThat(keys.allocate()).isEqualTo(first);
        assertThat(told).containsExactly(first);
    }

    @Test
    void growthKeepsEveryKey() {
        final LocalKeys keys = new LocalKeys(1);
        final int[] all = new int[1000];
        for (int i = 0; i < all.length; i++) {
            all[i] = keys.allocate();
            keys.bind(all[i], 0, i, -i);
        }
        for (int i = 0; i < all.length; i++) {
            assertThat(keys.snapshot().lkey(all[i], 0)).isEqualTo(i);
            assertThat(keys.snapshot().rkey(all[i], 0)).isEqualTo(-i);
        }
        assertThat(keys.snapshot().isValid(0)).isFalse();
        assertThat(keys.snapshot().lkey(VirtualKeyDescriptor.key(1001, 1), 0)).isEqualTo(LocalKeys.INVALID);
        for (final int key : all) {
            keys.release(key);
        }
        for (final int key : all) {
            assertThat(VirtualKeyDescriptor.index(keys.allocate())).as("the index longest unused comes first")
                    .isEqualTo(VirtualKeyDescriptor.index(key));
        }
    }

    @Test
    void anOldKeyStaysInvalidForAsManyRegionsAsThereAreGenerations() {
        final LocalKeys keys = new LocalKeys(1);
        final int old = keys.allocate();
        keys.bind(old, 0, 1, 2);
        keys.release(old);
        for (int i = 1; i < 1 << VirtualKeyDescriptor.GENERATION_BITS; i++) {
            final int key = keys.allocate();
            keys.bind(key, 0, 3, 4);
            assertThat(VirtualKeyDescriptor.index(key)).isEqualTo(VirtualKeyDescriptor.index(old));
            assertThat(keys.snapshot().isValid(old)).isFalse();
            assertThat(keys.snapshot().lkey(old, 0)).isEqualTo(LocalKeys.INVALID);
            assertThat(keys.snapshot().rkey(old, 0)).isEqualTo(LocalKeys.INVALID);
            keys.release(key);
        }
    }

    @Test
    void theHalvesOfAKeyComeBackAndNoKeyIsTheInvalidOne() {
        for (final int index : new int[] {1, 2, 255, 1 << 12, VirtualKeyDescriptor.MAX_INDEX - 1}) {
            for (final int generation : new int[] {0, 1, 0xFFF}) {
                final int key = VirtualKeyDescriptor.key(index, generation);
                assertThat(VirtualKeyDescriptor.index(key)).isEqualTo(index);
                assertThat(VirtualKeyDescriptor.generation(key)).isEqualTo(generation);
                assertThat(key).isNotEqualTo(LocalKeys.INVALID);
            }
        }
    }
}
