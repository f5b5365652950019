package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A device that becomes a member of a bond of so many regions that these are made on it in several pieces. */
class MemberAddingTest {
    private static final int REGIONS = 300;

    private final TwoBonds bonds = new TwoBonds();
    private final BondAdmin admin = bonds.a.context().admin();
    private final MemorySegment memory = Arena.ofAuto().allocate(64);
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final FakeDevice spare = bonds.spare("a2", "10.1.0.33");
    /** Those of the bond itself. */
    private final int others = bonds.a.device(0).opened().regionCount();

    @BeforeEach
    void register() {
        for (int i = 0; i < REGIONS; i++) {
            regions.add(region());
        }
    }

    @AfterEach
    void close() {
        regions.forEach(MemoryRegion::close);
        bonds.close();
    }

    private MemoryRegion region() {
        return bonds.a.pd().regMr(memory, AccessFlags.LOCAL_WRITE);
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    /** A part of the regions is on it. */
    private FakeContext comes() {
        final FakeContext opened = (FakeContext) spare.open();
        assertThat(admin.addPiece(opened)).isFalse();
        assertThat(admin.addPiece(opened)).isFalse();
        assertThat(opened.regionCount()).isPositive().isLessThan(REGIONS);
        return opened;
    }

    private void goesOn(final FakeContext opened) {
        int pieces = 0;
        while (!admin.addPiece(opened)) {
            pieces++;
        }
        assertThat(pieces).isPositive();
    }

    @Test
    void itIsNoMemberBeforeAllIsOnIt() {
        final FakeContext opened = comes();
        assertThat(admin.members()).hasSize(2);
        bonds.a.device(1).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        assertThat(bonds.a.member(1).isUp()).isFalse();
        goesOn(opened);
        assertThat(opened.regionCount()).isEqualTo(REGIONS + others);
        assertThat(admin.members()).hasSize(3);
        assertThat(bonds.a.member(2).isAlive()).isTrue();
        assertThat(bonds.a.member(2).generation()).isZero();
    }

    /** Whoever has just let it go would take the lock again before they run. */
    @Test
    void whoWaitsForTheBondMeanwhileWaitsForOnePieceOnly() {
        final CompletableFuture<Integer> made = new CompletableFuture<>();
        spare.at("regMr", () -> {
            final Thread other = Thread.ofPlatform().start(() -> {
                bonds.a.verbs().core().lock();
                try {
                    made.complete(spare.opened().regionCount());
                } finally {
                    bonds.a.verbs().core().unlock();
                }
            });
            while (LockSupport.getBlocker(other) == null) {
                Thread.onSpinWait();
            }
        });
        admin.add("a2");
        assertThat(made.join()).isPositive().isLessThan(REGIONS);
        assertThat(spare.opened().regionCount()).isEqualTo(REGIONS + others);
    }

    @Test
    void regionsThatComeAndGoMeanwhileAreOnItOnceOrNotAtAll() {
        final FakeContext opened = comes();
        regions.add(region());
        regions.removeFirst().close();
        regions.remove(REGIONS - 2).close();
        goesOn(opened);
        assertThat(opened.regionCount()).isEqualTo(REGIONS - 1 + others);
        regions.forEach(MemoryRegion::close);
        regions.clear();
        assertThat(opened.regionCount()).isEqualTo(others);
    }

    /** What is closed meanwhile is none of the device that had the seat before. */
    @Test
    void oneThatComesAgainIsTheNextOnItsSeat() {
        for (int i = 0; i < 2; i++) {
            admin.add("a2");
            bonds.advance(1_000 * TwoBonds.MS);
            admin.remove("a2");
            bonds.advance(1_000 * TwoBonds.MS);
        }
        final FakeContext opened = comes();
        regions.removeFirst().close();
        goesOn(opened);
        assertThat(bonds.a.member(2).generation()).isEqualTo(2);
        assertThat(opened.regionCount()).isEqualTo(REGIONS - 1 + others);
    }

    @Test
    void anotherOneIsToWait() {
        final FakeContext opened = comes();
        final FakeDevice another = bonds.spare("a3", "10.1.0.44");
        assertErrno(Errno.EBUSY, () -> admin.add("a3"));
        final FakeContext same = (FakeContext) another.open();
        assertErrno(Errno.EBUSY, () -> admin.addPiece(same));
        assertThat(same.isClosed()).isTrue();
        goesOn(opened);
        admin.add("a3");
        assertThat(admin.members()).hasSize(4);
    }

    @Test
    void whatCannotBeMadeLeavesNothingAndNoSeatTaken() {
        final FakeContext opened = comes();
        spare.refuse("regMr");
        assertErrno(Errno.ENOMEM, () -> admin.addPiece(opened));
        assertThat(opened.isClosed()).isTrue();
        assertThat(opened.regionCount()).isZero();
        spare.refuse(null);
        admin.add("a2");
        assertThat(bonds.a.member(2).generation()).isZero();
    }

    @Test
    void aDeviceThatDiesMeanwhileLeavesNothingBehind() {
        final FakeContext opened = comes();
        spare.die();
        assertErrno(Errno.EIO, () -> goesOn(opened));
        assertThat(opened.isClosed()).isTrue();
        assertThat(opened.regionCount()).isZero();
    }

    @Test
    void aBondThatIsClosedMeanwhileLeavesNothingOnIt() {
        final FakeContext opened = comes();
        regions.forEach(MemoryRegion::close);
        regions.clear();
        bonds.a.close();
        assertErrno(Errno.EINVAL, () -> admin.addPiece(opened));
        assertThat(opened.isClosed()).isTrue();
        assertThat(opened.regionCount()).isZero();
    }
}
