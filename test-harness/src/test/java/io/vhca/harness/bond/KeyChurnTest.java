package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.WcStatus;
import io.vhca.bond.config.LedgerMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions come and go at the peer while it is written to, and while links fail. */
class KeyChurnTest {
    private static final long MS = BondPair.MS;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;
    /** More lives of one index than a key's generation tells apart. */
    private static final int LIVES = 4_200;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(BondPair.MESSAGE_BYTES, 64);

    private static void write(final BondPair pair, final MemorySegment to, final int rkey, final WcStatus expected) {
        final int before = pair.left.sends.size();
        pair.left.write(to.address(), rkey);
        assertThat(pair.runUntil(() -> pair.left.sends.size() == before + 1, 2_000 * MS)).isTrue();
        assertThat(pair.left.sends.getLast()).isEqualTo(expected);
    }

    @Test
    void aKeyThatComesRoundAgainMeansTheNewRegion() {
        try (BondPair pair = new BondPair(config -> config)) {
            final MemoryRegion first = pair.right.pd.regMr(memory, ACCESS);
            write(pair, memory, first.rkey(), WcStatus.SUCCESS);
            first.close();
            for (int life = 1; life < 4_096; life++) {
                pair.right.pd.regMr(memory, ACCESS).close();
            }
            pair.runFor(MS); // the bonds have had time to speak
            try (MemoryRegion again = pair.right.pd.regMr(memory, ACCESS)) {
                assertThat(again.rkey()).as("the generation has come round").isEqualTo(first.rkey());
                write(pair, memory, again.rkey(), WcStatus.SUCCESS);
            }
        }
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void writesFollowRegionsThatAreMadeAnewUnderFailovers(final long seed) {
        final SplittableRandom chance = new SplittableRandom(seed);
        final LedgerMode ledger = LedgerMode.values()[(int) (seed % 3)];
        try (BondPair pair = new BondPair(config -> config.ledger(ledger))) {
            for (int life = 0; life < LIVES / 10; life++) {
                try (MemoryRegion region = pair.right.pd.regMr(memory, ACCESS)) {
                    final int member = chance.nextInt(2);
                    final BondPair.Host side = chance.nextBoolean() ? pair.left : pair.right;
                    final boolean isCut = chance.nextInt(8) == 0;
                    memory.fill((byte) 7);
                    if (isCut) {
                        side.ports[member].up(false);
                    }
                    write(pair, memory, region.rkey(), WcStatus.SUCCESS);
                    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).as("written").isEqualTo((byte) 0);
                    if (isCut) {
                        side.ports[member].up(true);
                        pair.runFor(MS);
                    }
                }
            }
            assertThat(pair.left.failovers()).isNotEmpty();
        }
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aRegionClosedInTheMiddleOfAFailoverIsNotWrittenAfterwards(final long seed) {
        final SplittableRandom chance = new SplittableRandom(seed);
        try (BondPair pair = new BondPair(config -> config)) {
            final MemoryRegion region = pair.right.pd.regMr(memory, ACCESS);
            write(pair, memory, region.rkey(), WcStatus.SUCCESS);
            pair.block(0, true, true, true);
            pair.block(1, true, true, true);
            pair.left.write(memory.address(), region.rkey());
            pair.runFor(chance.nextLong(1, 60 * MS));
            region.close();
            memory.fill((byte) 7);
            pair.block(0, true, true, false);
            pair.block(1, true, true, false);
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2, 5_000 * MS)).isTrue();
            assertThat(pair.left.sends.getLast()).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        }
        arena.close();
    }

    @Test
    void aKeyOfAnotherBondIsRefused() {
        try (BondPair pair = new BondPair(config -> config);
                MemoryRegion own = pair.left.pd.regMr(arena.allocate(64, 64), ACCESS);
                MemoryRegion there = pair.right.pd.regMr(memory, ACCESS)) {
            assertThat(own.rkey()).as("a foreign key").isNotEqualTo(there.rkey());
            write(pair, memory, own.rkey(), WcStatus.REM_ACCESS_ERR);
        }
        arena.close();
    }
}
