package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.MemberStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that dies and comes back, under another name: the virtual objects stand, and it carries traffic again. */
class DeviceReturnTest {
    private static final long MS = BondPair.MS;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    private static WcStatus write(final BondPair pair, final BondPair.Host from, final MemoryRegion to) {
        final int before = from.sends.size();
        from.write(to.addr(), to.rkey());
        assertThat(pair.runUntil(() -> from.sends.size() == before + 1, 5_000 * MS)).isTrue();
        return from.sends.getLast();
    }

    private static MemberStatus status(final BondPair.Host host, final int member) {
        return host.bond.admin().members().get(member);
    }

    /** Everybody's traffic goes over the pair of that member now. */
    private static void moveTo(final BondPair pair, final BondPair.Host host, final int member) {
        host.bond.admin().activate(status(host, member).name());
        assertThat(pair.runUntil(
                        () -> host.bond.admin().path(host.qp()).startsWith(status(host, member).name() + " "),
                        5_000 * MS))
                .as("moved: " + host.bond.admin().members())
                .isTrue();
    }

    private static void killAndAwait(final BondPair pair, final BondPair.Host host, final int member) {
        final int before = host.failovers().size();
        host.devices[member].kill();
        assertThat(pair.runUntil(() -> host.failovers().size() > before, 5_000 * MS)).isTrue();
        assertThat(status(host, member).up()).isFalse();
        pair.runFor(500 * MS);
    }

    private static void plugInAndAwait(final BondPair pair, final BondPair.Host host, final int member) {
        host.plugInAgain(member);
        assertThat(pair.runUntil(() -> status(host, member).up(), 1_000 * MS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void keysOfBeforeAndOfTheTimeBetweenReachTheirRegionsOverTheDeviceThatCameBack(final int times) {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = new BondPair(config -> config)) {
            final MemorySegment memory = arena.allocate(3L * BondPair.MESSAGE_BYTES, 64);
            final BondPair.Host right = pair.right;
            try (MemoryRegion before =
                    right.pd.regMr(memory.asSlice(0, BondPair.MESSAGE_BYTES), ACCESS)) {
                assertThat(write(pair, pair.left, before)).isEqualTo(WcStatus.SUCCESS);
                for (int time = 0; time < times; time++) {
                    killAndAwait(pair, right, 0);
                    try (MemoryRegion between =
                            right.pd.regMr(memory.asSlice(BondPair.MESSAGE_BYTES, BondPair.MESSAGE_BYTES), ACCESS)) {
                        assertThat(write(pair, pair.left, before)).isEqualTo(WcStatus.SUCCESS);
                        assertThat(write(pair, pair.left, between)).isEqualTo(WcStatus.SUCCESS);
                        plugInAndAwait(pair, right, 0);
                        pair.runFor(2_000 * MS);
                        moveTo(pair, pair.left, 0);
                        assertThat(write(pair, pair.left, between)).isEqualTo(WcStatus.SUCCESS);
                        assertThat(write(pair, pair.left, before)).isEqualTo(WcStatus.SUCCESS);
                    }
                    pair.left.send();
                    final int received = right.received;
                    assertThat(pair.runUntil(() -> right.received == received + 1, 100 * MS)).isTrue();
                }
            }
        }
    }

    @Test
    void bothDevicesDieOneAfterTheOtherAndTheFirstIsBackInTime() {
        try (BondPair pair = new BondPair(config -> config)) {
            killAndAwait(pair, pair.left, 0);
            pair.left.devices[1].kill();
            pair.left.send();
            pair.runFor(1_000 * MS);
            assertThat(pair.right.received).isZero();
            pair.left.plugInAgain(0);
            assertThat(pair.runUntil(() -> pair.right.received == 1, 5_000 * MS)).isTrue();
            assertThat(pair.runUntil(() -> pair.left.sends.equals(List.of(WcStatus.SUCCESS)), 100 * MS))
                    .isTrue();
        }
    }

    @Test
    void aListenerOfBeforeTakesConnectionsOverTheDeviceThatCameBack() {
        try (BondPair pair = new BondPair(config -> config)) {
            killAndAwait(pair, pair.right, 0);
            plugInAndAwait(pair, pair.right, 0);
            onlyFirstPair(pair);
            pair.connect();
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == 1, 1_000 * MS)).isTrue();
        }
    }

    @Test
    void whoSleepsSinceBeforeTheDeathIsWokenByACompletionOnTheDeviceThatCameBack() {
        try (BondPair pair = new BondPair(config -> config)) {
            final CompletionQueue quiet = pair.right.bond.createCq(64, null, pair.right.wake);
            quiet.reqNotify(false);
            pair.right.cqOfNext = quiet;
            killAndAwait(pair, pair.right, 0);
            plugInAndAwait(pair, pair.right, 0);
            onlyFirstPair(pair);
            pair.connect();
            assertThat(pair.right.wake.getCqEvent(0)).isNull();
            pair.left.send();
            pair.runFor(100 * MS);
            assertThat(pair.right.wake.getCqEvent(0)).isSameAs(quiet);
        }
    }

    private static void onlyFirstPair(final BondPair pair) {
        pair.runFor(2_000 * MS);
        pair.left.ports[1].up(false);
        pair.right.ports[1].up(false);
        pair.runFor(1_000 * MS);
    }

    @Test
    void whatIsClosedWhileTheDeviceIsAwayIsNotMadeOnItWhenItIsBack() {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = new BondPair(config -> config)) {
            final MemoryRegion region =
                    pair.right.pd.regMr(arena.allocate(BondPair.MESSAGE_BYTES, 64), AccessFlags.LOCAL_WRITE);
            final CompletionQueue cq = pair.right.bond.createCq(4, null, null);
            final CmId listener = pair.right.channel.createId(CmPortSpace.TCP, null);
            listener.bindAddr(new InetSocketAddress(pair.address(1, 9), 6_000));
            killAndAwait(pair, pair.right, 0);
            region.close();
            cq.close();
            listener.close();
            plugInAndAwait(pair, pair.right, 0);
            // Closing the pair says EBUSY for what was left over.
        }
    }
}
