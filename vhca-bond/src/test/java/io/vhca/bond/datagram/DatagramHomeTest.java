package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.TwoBonds;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs for datagrams live on the active member, wherever connections do. */
class DatagramHomeTest {
    @ParameterizedTest
    @EnumSource(BondMode.class)
    void theyAreOnThePrimaryInEveryModeAndReturnToIt(final BondMode mode) {
        try (TwoBonds bonds = new TwoBonds(options -> options.mode(mode))) {
            final DatagramEnd end = bonds.closing(new DatagramEnd(bonds.a));
            assertThat(end.lives()).isEqualTo("a0");
            bonds.a.context().admin().set(List.of("primary=a1"));
            bonds.advance(1_000 * MS);
            assertThat(end.lives()).isEqualTo("a1");
            bonds.a.device(1).port(false);
            bonds.advance(1_000 * MS);
            assertThat(end.lives()).isEqualTo("a0");
            bonds.a.device(1).port(true);
            bonds.advance(1_000 * MS);
            assertThat(end.lives()).isEqualTo("a1");
        }
    }
}
