package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SrqAttributes;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondSharedReceiveQueue;
import io.vhca.recovery.PathId;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Over which path one stands by, where every member reaches every member of the peer. */
class StandbyPathTest {
    private final TwoBonds bonds =
            TwoBonds.onOneNetwork(options -> options.set(BondOption.STANDBY, Standby.WARM));
    private final AppEnd active = new AppEnd(bonds.a);
    private final AppEnd passive = new AppEnd(bonds.b);

    @AfterEach
    void close() {
        bonds.close();
    }

    private void connect() {
        bonds.connect(active, passive, "10.1.128.1");
        passive.receives(4);
    }

    private long requests() {
        return bonds.fabric.heard().stream().filter(one -> one.kind() == CmMessage.REQ).count();
    }

    private static String path(final AppEnd end) {
        return end.recovery().attachment().describe();
    }

    private static String standbyPath(final AppEnd end) {
        final String[] found = new String[1];
        end.bond().locked(() -> found[0] = end.recovery().standbyPath());
        return found[0];
    }

    /** A path that fails is worse than one that shares an end with the one in use, and for so long only. */
    @Test
    void oneThatGoesWithTheMemberInUseOfThePeerIsMadeAnew() {
        connect();
        bonds.advance(2_500 * MS);
        bonds.a.locked(() -> {
            for (int failure = 0; failure < 3; failure++) {
                active.recovery().paths().table().failed(new PathId(1, 1), bonds.nowNs());
            }
            active.recovery().exchange().giveUpStandby();
        });
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.advance(2_500 * MS);
        assertThat(standbyPath(active)).as("the other is suspect").isEqualTo("a1 -> 10.1.128.1");
        assertThat(bonds.fabric.expire()).as("looks whether it carries").isPositive();
        bonds.advance(10_000 * MS);
        assertThat(standbyPath(active)).as("nor does it carry").isEqualTo("a1 -> 10.1.128.1");
        bonds.fabric.heal();
        bonds.advance(60_000 * MS);
        assertThat(standbyPath(active)).isEqualTo("a1 -> 10.1.128.2");
        assertThat(standbyPath(passive)).isEqualTo("b1 -> 10.1.0.2");
        assertThat(bonds.a.count(Counter.STANDBY_GIVEN_UP))
                .as("by hand, and the control link's with it")
                .isEqualTo(3);
        final long before = requests();
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(path(active)).isEqualTo("a1 -> 10.1.128.2");
        assertThat(requests()).isEqualTo(before);
    }

    /** The other member is up on both sides, and nothing passes between the two. */
    @Test
    void whereTheBestPathDoesNotCarryOneIsMadeThatSharesAnEnd() {
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        connect();
        bonds.advance(10_000 * MS);
        assertThat(standbyPath(active)).isEqualTo("a1 -> 10.1.128.1");
        bonds.fabric.heal();
        bonds.advance(120_000 * MS);
        assertThat(standbyPath(active)).as("the best one carries now").isEqualTo("a1 -> 10.1.128.2");
    }

    /** Its shared receives are wanted on the other member: it takes what stands by along, or they would stay. */
    @Test
    void whoUsesAndStandsByOnOneMemberLeavesItWithBoth() {
        try (Arena arena = Arena.ofConfined()) {
            final BondSharedReceiveQueue srq =
                    (BondSharedReceiveQueue) bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(4, 1, 0)));
            bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
            bonds.closing(passive);
            final AppEnd first = new AppEnd(bonds.b, srq);
            bonds.connect(active, first, "10.1.128.1");
            bonds.advance(10_000 * MS);
            assertThat(standbyPath(first)).isEqualTo("b0 -> 10.1.0.2");
            assertThat(path(first)).isEqualTo("b0 -> 10.1.0.1");
            assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, 1).numSge(0))).isEqualTo(1);
            final TwoBonds.Connection second =
                    bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.1.128.2");
            assertThat(path(second.passive())).startsWith("b1");
            bonds.settle();
            assertThat(path(first)).startsWith("b1");
            assertThat(srq.waitingAtGlance()).isZero();
            final Map<String, String> found = new HashMap<>();
            bonds.b.locked(() -> found.putAll(srq.atMembers()));
            assertThat(found).containsEntry("b1", "1 receives, 2 queue pairs").doesNotContainKey("b0");
        }
    }
}
