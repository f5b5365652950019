package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that outlive their region: the peer that uses one is told so, whatever has taken the region's place. */
class OldKeyTest {
    private static final long MS = BondPair.MS;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(BondPair.MESSAGE_BYTES, 64);

    private static WcStatus write(final BondPair pair, final MemorySegment to, final int rkey) {
        final int before = pair.left.sends.size();
        pair.left.write(to.address(), rkey);
        assertThat(pair.runUntil(() -> pair.left.sends.size() == before + 1, 100 * MS)).isTrue();
        return pair.left.sends.getLast();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theKeyOfAClosedRegionIsRefused(final boolean isKnownToThePeer) {
        try (BondPair pair = new BondPair(config -> config)) {
            final MemoryRegion region = pair.right.pd.regMr(memory, ACCESS);
            if (isKnownToThePeer) {
                assertThat(write(pair, memory, region.rkey())).isEqualTo(WcStatus.SUCCESS);
            }
            region.close();
            assertThat(write(pair, memory, region.rkey())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextRegionOfTheSameIndexIsNotReachedByTheOldKey(final boolean isKnownToThePeer) {
        try (BondPair pair = new BondPair(config -> config)) {
            final MemoryRegion old = pair.right.pd.regMr(memory, ACCESS);
            if (isKnownToThePeer) {
                assertThat(write(pair, memory, old.rkey())).isEqualTo(WcStatus.SUCCESS);
            }
            old.close();
            memory.fill((byte) 7);
            // More lives of that index than eight bits would tell apart.
            for (int life = 1; life < 256; life++) {
                pair.right.pd.regMr(memory, ACCESS).close();
            }
            try (MemoryRegion next = pair.right.pd.regMr(memory, ACCESS)) {
                assertThat(next.rkey()).isNotEqualTo(old.rkey());
                assertThat(write(pair, memory, old.rkey())).isEqualTo(WcStatus.REM_ACCESS_ERR);
            }
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        }
        arena.close();
    }

    @Test
    void theKeyOfALivingRegionGoesOnWorkingOverAnotherMember() {
        try (BondPair pair = new BondPair(config -> config);
                MemoryRegion region = pair.right.pd.regMr(memory, ACCESS)) {
            assertThat(write(pair, memory, region.rkey())).isEqualTo(WcStatus.SUCCESS);
            pair.left.ports[0].up(false);
            assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 1_000 * MS)).isTrue();
            assertThat(write(pair, memory, region.rkey())).isEqualTo(WcStatus.SUCCESS);
        }
        arena.close();
    }
}
