package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands by where the peer drains members: three of each bond, on networks of their own. */
class StandbyOfDrainedTest {
    private TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private TwoBonds.Connection connect(final long pathTimeoutMs) {
        bonds.close();
        bonds = new TwoBonds(
                options -> options.set(BondOption.STANDBY, Standby.WARM).pathTimeoutNs(pathTimeoutMs * MS));
        bonds.spare("a2", "10.3.0.1");
        bonds.spare("b2", "10.3.0.2");
        bonds.a.context().admin().add("a2");
        bonds.b.context().admin().add("b2");
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(10 * pathTimeoutMs * MS);
        return pair;
    }

    private String standby(final TwoBonds.Connection pair) {
        return bonds.a.context().admin().standby(pair.active().qp());
    }

    private long requests() {
        return bonds.fabric.heard().stream().filter(one -> one.kind() == CmMessage.REQ).count();
    }

    /** The best path was asked again and again, and refused, and no other one was. */
    @ParameterizedTest
    @ValueSource(longs = {500, 3_000})
    void oneIsMadeOverAThirdPathAndNobodyAsksWhereAllAreDrained(final long pathTimeoutMs) {
        final TwoBonds.Connection pair = connect(pathTimeoutMs);
        assertThat(standby(pair)).isEqualTo("a1 -> 10.2.0.2");
        bonds.b.context().admin().drain("b1");
        bonds.advance(10 * pathTimeoutMs * MS);
        assertThat(standby(pair)).isEqualTo("a2 -> 10.3.0.2");
        bonds.b.context().admin().drain("b2");
        bonds.advance(10 * pathTimeoutMs * MS);
        assertThat(standby(pair)).isEmpty();
        final long before = requests();
        bonds.advance(10_000 * MS);
        assertThat(requests() - before).as("each once a second, and echoes").isLessThan(60);
        bonds.b.context().admin().resume("b2");
        bonds.advance(10 * pathTimeoutMs * MS);
        assertThat(standby(pair)).isEqualTo("a2 -> 10.3.0.2");
        assertThat(bonds.a.context().failovers()).isEmpty();
    }
}
