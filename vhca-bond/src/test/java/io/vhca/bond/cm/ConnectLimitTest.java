package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A first connect whose {@code recovery_timeout} ends within a round, with a path of it that was not asked yet. */
class ConnectLimitTest {
    private final TwoBonds bonds = new TwoBonds(options -> options
            .set(BondOption.PATH_TIMEOUT, 500 * MS)
            .set(BondOption.RECOVERY_TIMEOUT, 1_500 * MS));

    @AfterEach
    void close() {
        bonds.close();
    }

    /** The first round takes 1 s for two paths; of the second, in which a path has 1 s, half of one is left. */
    @Test
    void behindTheLimitNoPathIsAsked() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        final AppEnd end = bonds.closing(new AppEnd(bonds.a));
        end.on(bonds.routed("10.1.0.2"));
        end.id().connect(ConnectParameters.of(new byte[0]));
        bonds.advance(1_400 * MS);
        assertThat(bonds.fabric.heard()).hasSize(3);
        assertThat(bonds.a.channel().getEvent(0)).isNull();
        bonds.advance(101 * MS);
        TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
        assertThat(bonds.fabric.heard()).hasSize(3);
    }
}
