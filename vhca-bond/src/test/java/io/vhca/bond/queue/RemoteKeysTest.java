package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.wire.VirtualKeyDescriptor;
import org.junit.jupiter.api.Test;

class RemoteKeysTest {
    private static final int INDEX = 40;
    private static final int STALE = VirtualKeyDescriptor.key(INDEX, 7);
    private static final int LIVING = VirtualKeyDescriptor.key(INDEX, 8);

    private final RemoteKeys keys = new RemoteKeys(0);

    private int rkey(final int virtualKey) {
        final RemoteKeys.Entry entry = keys.find(virtualKey);
        return entry == null ? 0 : entry.rkey();
    }

    @Test
    void whatWasNotHeardIsAskedForAndWhatCannotBeIsInvalid() {
        assertThat(keys.find(LIVING)).isNull();
        assertThat(rkey(VirtualKeyDescriptor.key(VirtualKeyDescriptor.MAX_INDEX, 3))).isEqualTo(LocalKeys.INVALID);
    }

    /** A WRITE with a stale key and its mark, whose word has the index now, need both at once. */
    @Test
    void aStaleKeyAndTheLivingOneOfItsIndexAreKnownTogetherInEitherOrder() {
        keys.put(STALE, LocalKeys.INVALID);
        keys.put(LIVING, 5);
        keys.put(STALE, LocalKeys.INVALID);
        assertThat(rkey(LIVING)).isEqualTo(5);
        assertThat(rkey(STALE)).isEqualTo(LocalKeys.INVALID);
    }

    @Test
    void aKeyThatIsNotKnownAnyMoreIsInvalidAndOneThatIsKnownAgainIsNot() {
        keys.put(LIVING, 5);
        keys.put(LIVING, LocalKeys.INVALID);
        assertThat(rkey(LIVING)).isEqualTo(LocalKeys.INVALID);
        keys.put(LIVING, 6);
        assertThat(rkey(LIVING)).isEqualTo(6);
    }

    @Test
    void whatIsRevokedOrClearedIsAskedForAgain() {
        keys.put(LIVING, 5);
        keys.put(STALE, LocalKeys.INVALID);
        keys.remove(LIVING);
        keys.remove(STALE);
        assertThat(keys.find(LIVING)).isNull();
        assertThat(keys.find(STALE)).isNull();
        keys.put(LIVING, 5);
        keys.put(STALE, LocalKeys.INVALID);
        keys.clear();
        assertThat(keys.find(LIVING)).isNull();
        assertThat(keys.find(STALE)).isNull();
    }

    @Test
    void aKeyIsFoundUnderItsGenerationOnlyWhateverTheTableGrowsTo() {
        for (final int index : new int[] {1, 15, 16, 1000, VirtualKeyDescriptor.MAX_INDEX - 1}) {
            final int key = VirtualKeyDescriptor.key(index, 3);
            assertThat(keys.find(key)).isNull();
            keys.put(key, index);
            assertThat(rkey(key)).isEqualTo(index);
            assertThat(keys.find(key + 1)).isNull();
        }
        assertThat(rkey(VirtualKeyDescriptor.key(1, 3))).isEqualTo(1);
        assertThat(rkey(-1)).isEqualTo(LocalKeys.INVALID);
    }
}
