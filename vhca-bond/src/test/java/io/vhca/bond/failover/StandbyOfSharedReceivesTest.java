package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SrqAttributes;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondSharedReceiveQueue;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stands by for a queue pair with shared receives has none of them until it is taken. */
class StandbyOfSharedReceivesTest {
    private static final long MADE_NS = 2_500 * MS;

    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.STANDBY, Standby.WARM));
    private final Arena arena = Arena.ofConfined();
    private final BondSharedReceiveQueue srq =
            (BondSharedReceiveQueue) bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(32, 1, 0)));
    private final AppEnd buffers = bonds.closing(new AppEnd(bonds.b));

    @AfterEach
    void close() {
        bonds.close();
        arena.close();
    }

    private void receives(final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, 1)
                            .wrId(i)
                            .sge(buffers.into(i), 64, buffers.region().lkey())))
                    .isEqualTo(1);
        }
    }

    private Map<String, String> atMembers() {
        final Map<String, String> found = new TreeMap<>();
        bonds.b.locked(() -> found.putAll(srq.atMembers()));
        return found;
    }

    private static String path(final AppEnd end) {
        return end.recovery().attachment().describe();
    }

    private static void send(final AppEnd from, final int count) {
        for (int i = 0; i < count; i++) {
            from.send(i, "m" + i);
        }
    }

    @Test
    void theReceivesAreWhereTheQueuePairIsAndFollowItsFailover() {
        receives(2);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.advance(MADE_NS);
        receives(2);
        assertThat(atMembers())
                .containsEntry("b0", "4 receives, 1 queue pairs")
                .containsEntry("b1", "0 receives, 0 queue pairs");
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(path(pair.passive())).startsWith("b1");
        assertThat(bonds.b.count(Counter.STANDBY_TAKEN)).as("one of them for the bonds' own").isEqualTo(2);
        send(pair.active(), 4);
        bonds.settle();
        assertThat(bonds.polled(pair.passive())).hasSize(4).allMatch(text -> text.endsWith("SUCCESS"));
    }

    /** Its queue pair is gone then, and the connection that it took stands until it is destroyed. */
    @Test
    void oneInErrorOverWhatStoodByHasNoReceivesAndLeavesNoConnection() {
        receives(4);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.advance(MADE_NS);
        bonds.b.device(0).port(false);
        bonds.settle();
        final int connections = bonds.b.linksOn(1).size();
        bonds.b.locked(() -> pair.passive().recovery().onApplicationError(bonds.nowNs()));
        assertThat(atMembers()).isEmpty();
        assertThat(bonds.b.linksOn(1)).hasSize(connections);
        pair.passive().close();
        assertThat(bonds.b.linksOn(1)).hasSize(connections - 1);
    }

    /** Time stands: what stands by on the member gives way, and nobody moves. */
    @Test
    void whoStandsByOnAMemberKeepsNoReceivesThere() {
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        bonds.advance(MADE_NS);
        receives(4);
        assertThat(atMembers()).containsEntry("b0", "2 receives, 1 queue pairs");
        one.active().close();
        one.passive().close();
        send(two.active(), 4);
        bonds.settle();
        assertThat(two.active().polled()).hasSize(4).allMatch(text -> text.endsWith("SUCCESS"));
        assertThat(two.passive().polled()).hasSize(4).allMatch(text -> text.endsWith("SUCCESS"));
        assertThat(bonds.b.count(Counter.STANDBY_GIVEN_UP)).isEqualTo(1);
        assertThat(bonds.b.count(Counter.FAILOVERS)).isZero();
        bonds.advance(MADE_NS);
        assertThat(two.active().recovery().standbyPath()).as("made again").startsWith("a0");
    }

    /** The queue pair without receives is followed by the one that has them, and by nobody's standby. */
    @Test
    void queuePairsThatSitOnAllReceivesFollowThoughOthersStandByThere() {
        final TwoBonds.Connection first = bonds.connect(srq);
        receives(2);
        final TwoBonds.Connection second =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        bonds.advance(MADE_NS);
        send(second.active(), 2);
        bonds.advance(5_000 * MS);
        assertThat(second.active().polled()).hasSize(2).allMatch(text -> text.endsWith("SUCCESS"));
        assertThat(first.active().recovery().healthyLink()).isNotNull();
        assertThat(second.active().recovery().healthyLink()).isNotNull();
    }

    @Test
    void whatStandsByIsGivenNoneThatWereOverrun() {
        receives(2);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.advance(MADE_NS);
        bonds.b.overrunShared();
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(pair.passive().qp().state()).isEqualTo(QpState.ERR);
        assertThat(bonds.b.device(1).sharedReceives()).isZero();
    }
}
