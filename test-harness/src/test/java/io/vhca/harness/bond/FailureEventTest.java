package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.config.BondConfig;
import io.vhca.recovery.wire.FailureReason;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each event that tells of a death starts a recovery on its own: no watchdog, no heartbeat, no look at ports, nothing
 * under way that could fail. Virtual time.
 */
class FailureEventTest {
    private static final long MS = BondPair.MS;

    private final List<EventInjector> members = new ArrayList<>();

    private BondPair pair() {
        return new BondPair(FailureEventTest::deaf, device -> {
            final EventInjector injector = new EventInjector();
            members.add(injector);
            return injector.wrap(device);
        });
    }

    private static BondConfig.Builder deaf(final BondConfig.Builder config) {
        return config.heartbeatNs(0).watchdogNs(0).miimonNs(TimeUnit.HOURS.toNanos(1));
    }

    private static void assertRecovered(final BondPair pair, final FailureReason reason) {
        assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 50 * MS)).isTrue();
        assertThat(pair.left.failovers().getFirst().reason()).isEqualTo(reason);
        assertThat(pair.left.failovers().getFirst().error()).isNull();
        assertThat(pair.left.failovers().getFirst().fenceNs())
                .as("the devices forget the markers: a drain is over when all that was posted before is back")
                .isLessThan(MS);
        final int before = pair.right.received;
        pair.left.send();
        assertThat(pair.runUntil(() -> pair.right.received == before + 1, 100 * MS)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "DISCONNECTED, CM_DISCONNECTED",
        "UNREACHABLE, CM_DISCONNECTED",
        "CONNECT_ERROR, CM_DISCONNECTED",
        "DEVICE_REMOVAL, DEVICE_REMOVAL"
    })
    void whatTheCmSaysOfAConnectionThatStands(final CmEventType type, final FailureReason reason) {
        try (BondPair pair = pair()) {
            final EventInjector member = members.getFirst();
            member.cmEvents.add(EventInjector.event(type, member.established.getFirst()));
            assertRecovered(pair, reason);
        }
    }

    /** rxe does so to a responder whose peer asked for what it must not. */
    @Test
    void aQueuePairThatGoesToErrorByItselfIsNoticedByWhatItFlushes() {
        try (BondPair pair = new BondPair(config -> config, device -> {
            final EventInjector injector = new EventInjector();
            members.add(injector);
            return injector.wrap(device);
        })) {
            final QueuePair physical = Objects.requireNonNull(members.getFirst().established.getFirst().qp());
            physical.modify(new QpAttributes().qpState(QpState.ERR));
            assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 2_000 * MS)).isTrue();
            assertThat(pair.left.failovers().getFirst().reason()).isEqualTo(FailureReason.LOCAL_QP_ERROR);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == 1, 100 * MS)).isTrue();
        }
    }

    @Test
    void aRemovalThatOnlyAListenerHearsOfEndsTheMember() {
        try (BondPair pair = pair()) {
            final EventInjector member = members.getFirst();
            member.cmEvents.add(EventInjector.event(CmEventType.DEVICE_REMOVAL, member.created.getFirst()));
            assertRecovered(pair, FailureReason.DEVICE_REMOVAL);
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
        }
    }

    @Test
    void aPortThatWentDown() {
        try (BondPair pair = pair()) {
            members.getFirst().asyncEvents.add(AsyncEvent.ofPort(AsyncEventType.PORT_ERR, 1));
            assertRecovered(pair, FailureReason.PORT_ERR);
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
        }
    }

    @Test
    void aDeviceThatDied() {
        try (BondPair pair = pair()) {
            members.getFirst().asyncEvents.add(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
            assertRecovered(pair, FailureReason.DEVICE_FATAL);
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
        }
    }

    @Test
    void anAddressThatCannotBeAskedForAnyMore() {
        try (BondPair pair = pair()) {
            pair.left.devices[0].kill();
            members.getFirst().asyncEvents.add(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
            assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 50 * MS)).isTrue();
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
        }
    }

    @Test
    void objectsMadeWhileAMemberIsDyingLiveOnTheOthers() {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = pair()) {
            // From here on the device answers EIO, and the bond has not heard of it yet.
            pair.left.devices[0].kill();
            assertThat(pair.left.bond.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
            try (ProtectionDomain pd = pair.left.bond.allocPd();
                    CompletionChannel channel = pair.left.bond.createCompChannel();
                    CompletionQueue cq = pair.left.bond.createCq(16, null, channel);
                    MemoryRegion first = pair.left.pd.regMr(arena.allocate(64), AccessFlags.LOCAL_WRITE);
                    MemoryRegion second = pd.regMr(arena.allocate(64), AccessFlags.LOCAL_WRITE);
                    QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)))) {
                final CmId id = pair.left.channel.createId(CmPortSpace.TCP, null);
                id.bindAddr(new InetSocketAddress(pair.address(0, 9), 6_000));
                id.listen(1);
                id.close();
                assertThat(first.lkey()).isNotEqualTo(second.lkey());
                assertThat(qp.capabilities().maxSendWr()).isEqualTo(4);
            }
            pair.connect();
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == 1, 100 * MS)).isTrue();
        }
    }
}
