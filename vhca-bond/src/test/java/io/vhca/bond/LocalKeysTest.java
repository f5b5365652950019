package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(second >>> 8).isEqualTo(first >>> 8);
        assertThat(second).isNotEqualTo(first);
        assertThat(keys.snapshot().isValid(first)).isFalse();
        assertThat(keys.snapshot().lkey(second, 1)).isEqualTo(LocalKeys.INVALID);
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
        assertThat(keys.snapshot().lkey(1001 << 8 | 1, 0)).isEqualTo(LocalKeys.INVALID);
        for (final int key : all) {
            keys.release(key);
        }
        for (final int key : all) {
            assertThat(keys.allocate() >>> 8).as("the index longest unused comes first").isEqualTo(key >>> 8);
        }
    }
}
