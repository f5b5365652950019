package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.PathId;
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
}
