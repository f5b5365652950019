package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.queue.LocalKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A virtual region, and what becomes of it where its application closes the memory's arena first. */
class BondMemoryRegionTest {
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private static void assertIsGone(final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT))
                .hasMessageContaining("the memory's arena was closed; give other memory");
    }

    @Test
    void memoryOfAClosedArenaIsRefused() {
        final MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(64);
        }
        bonds.a.device(0).die();
        bonds.a.device(1).die();
        bonds.settle();
        assertIsGone(() -> bonds.a.pd().regMr(gone, AccessFlags.LOCAL_WRITE));
    }

    /** While no member is there to refuse it: none could come back with such a region. */
    @Test
    void whatNoDeviceCanRegisterIsRefusedBeforeAnyIsAsked() {
        bonds.a.device(0).die();
        bonds.a.device(1).die();
        bonds.settle();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(64);
            assertRefused(Errno.EINVAL, MemorySegment.ofArray(new byte[64]), AccessFlags.LOCAL_WRITE);
            assertRefused(Errno.EINVAL, memory.asSlice(0, 0), AccessFlags.LOCAL_WRITE);
            assertRefused(Errno.EINVAL, memory, AccessFlags.REMOTE_WRITE);
            assertRefused(Errno.EINVAL, memory, AccessFlags.REMOTE_ATOMIC);
            assertRefused(Errno.EFAULT, memory.asReadOnly(), AccessFlags.LOCAL_WRITE);
        }
    }

    private void assertRefused(final int errno, final MemorySegment memory, final int access) {
        assertThatThrownBy(() -> bonds.a.pd().regMr(memory, access))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void memoryThatIsGoneKeepsNoMemberOut() {
        final BondMemoryRegion region;
        try (Arena arena = Arena.ofConfined()) {
            region = (BondMemoryRegion) bonds.a.pd().regMr(arena.allocate(64), AccessFlags.LOCAL_WRITE);
            assertThat(region.allows(region.addr(), 64, AccessFlags.LOCAL_WRITE)).isTrue();
        }
        for (int times = 1; times <= 2; times++) {
            bonds.a.device(0).die();
            bonds.advance(1_000 * MS);
            bonds.a.device(0).plug();
            bonds.advance(2_000 * MS);
            assertThat(bonds.a.member(0).isUp()).isTrue();
        }
        assertThat(bonds.a.verbs().keys().snapshot().lkey(region.lkey(), 0)).isEqualTo(LocalKeys.INVALID);
        assertIsGone(() -> region.rkeyOn("a0"));
        assertThat(region.allows(region.addr(), 64, AccessFlags.LOCAL_WRITE)).as("to the bond itself").isFalse();
        region.close();
    }
}
