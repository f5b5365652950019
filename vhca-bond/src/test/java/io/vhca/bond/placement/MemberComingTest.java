package io.vhca.bond.placement;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.MemoryRegion;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Devices of a bond of so many regions that these are destroyed or made on them in several turns. */
class MemberComingTest {
    private static final int REGIONS = 300;

    private final TwoBonds bonds = new TwoBonds();
    private final MemorySegment memory = Arena.ofAuto().allocate(64);
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final FakeDevice device = bonds.a.device(0);
    /** Those of the bond itself and of the ends of a connection. */
    private int others;

    @BeforeEach
    void register() {
        bonds.spare("a2", "10.1.0.33");
        bonds.a.context().admin().add("a2");
        others = device.opened().regionCount();
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

    private void turn() {
        bonds.a.context().doWork(bonds.nowNs());
    }

    /** It is back, and a part of the regions is on it. */
    private FakeContext comes() {
        device.die();
        bonds.advance(1_000 * MS);
        device.plug();
        bonds.a.context().admin().lookAgain();
        turn();
        assertThat(bonds.a.member(0).isAlive()).as("not before all is on it").isFalse();
        final FakeContext opened = device.opened();
        assertThat(opened.regionCount()).isPositive().isLessThan(REGIONS);
        return opened;
    }

    @Test
    void whoFailsOverFromADeadDeviceWaitsForOnePieceOnly() {
        final FakeContext gone = device.opened();
        device.die();
        turn();
        turn();
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        assertThat(gone.regionCount()).isPositive().isLessThan(REGIONS + others);
        regions.add(region());
        regions.removeFirst().close();
        regions.remove(REGIONS - 2).close();
        final int left = gone.regionCount();
        turn();
        assertThat(gone.regionCount()).isPositive().isLessThan(left);
        assertThat(gone.isClosed()).isFalse();
        bonds.settle();
        assertThat(gone.regionCount()).isZero();
        assertThat(gone.isClosed()).isTrue();
        device.plug();
        bonds.advance(1_000 * MS);
        assertThat(device.opened().regionCount()).isEqualTo(REGIONS - 1 + others);
    }

    @Test
    void aBondThatIsClosedMeanwhileClosesTheDeadDevice() {
        final FakeContext gone = device.opened();
        device.die();
        turn();
        turn();
        assertThat(gone.isClosed()).isFalse();
        regions.forEach(MemoryRegion::close);
        regions.clear();
        bonds.a.close();
        assertThat(gone.isClosed()).isTrue();
    }

    @Test
    void aMemberThatIsRemovedLeavesOnceAllIsDestroyed() {
        final FakeContext gone = device.opened();
        bonds.a.context().admin().remove("a0");
        bonds.advance(MS);
        assertThat(gone.isClosed()).isTrue();
        assertThat(gone.regionCount()).isZero();
        assertThat(bonds.a.member(0).isPresent()).isFalse();
    }

    @Test
    void anotherMemberThatFailsMeanwhileWaitsForOnePieceOnly() {
        final FakeContext opened = comes();
        final int before = opened.regionCount();
        bonds.a.device(1).port(false);
        turn();
        assertThat(bonds.a.member(1).isUp()).isFalse();
        assertThat(opened.regionCount()).isGreaterThan(before).isLessThan(REGIONS);
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        bonds.settle();
        assertThat(opened.regionCount()).isEqualTo(REGIONS + others);
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    @Test
    void regionsThatComeAndGoMeanwhileAreOnItOnceOrNotAtAll() {
        final FakeContext opened = comes();
        regions.add(region());
        regions.removeFirst().close();
        regions.remove(REGIONS - 2).close();
        turn();
        regions.add(region());
        bonds.settle();
        assertThat(opened.regionCount()).isEqualTo(REGIONS + others);
        regions.forEach(MemoryRegion::close);
        regions.clear();
        assertThat(opened.regionCount()).isEqualTo(others);
    }

    @Test
    void aDeviceThatDiesAgainMeanwhileLeavesNothingBehind() {
        final int generation = bonds.a.member(0).generation();
        final FakeContext opened = comes();
        device.die();
        bonds.settle();
        assertThat(opened.isClosed()).isTrue();
        assertThat(opened.regionCount()).isZero();
        device.plug();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(device.opened().regionCount()).isEqualTo(REGIONS + others);
        assertThat(bonds.a.member(0).generation()).isEqualTo(generation + 1);
    }

    @Test
    void whatADeviceTellsMeanwhileIsHeardOnceAllIsOnIt() {
        final FakeContext opened = comes();
        device.say(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
        turn();
        assertThat(opened.isClosed()).isFalse();
        bonds.settle();
        assertThat(opened.isClosed()).isTrue();
    }

    @Test
    void anAddressThatItGetsMeanwhileIsItsAddress() {
        comes();
        device.address("10.1.0.22");
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.a.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.1.0.22"));
    }

    @Test
    void aMemberThatIsRemovedMeanwhileLeavesAtOnce() {
        final FakeContext opened = comes();
        bonds.a.context().admin().remove("a0");
        bonds.settle();
        assertThat(opened.isClosed()).isTrue();
        assertThat(opened.regionCount()).isZero();
        assertThat(bonds.a.member(0).isPresent()).isFalse();
    }

    @Test
    void aBondThatIsClosedMeanwhileClosesItToo() {
        final FakeContext opened = comes();
        regions.forEach(MemoryRegion::close);
        regions.clear();
        bonds.a.close();
        assertThat(opened.isClosed()).isTrue();
    }
}
