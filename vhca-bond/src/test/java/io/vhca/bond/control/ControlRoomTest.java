package io.vhca.bond.control;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member without memory for the bonds' own connection: applications go on, and the bonds meet later. */
class ControlRoomTest {
    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.PATH_TIMEOUT, 500 * MS));
    private final AppEnd active = new AppEnd(bonds.a);
    private final AppEnd passive = new AppEnd(bonds.b);

    /** Nothing may be left of what could be made: no device would close. */
    @AfterEach
    void close() {
        bonds.close();
    }

    private static int known(final AppEnd end) {
        return end.recovery().identity().peer().members().size();
    }

    private static void assertRefusedOnce(final HandBond bond) {
        assertThat(bond.count(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(1);
        assertThat(bond.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }

    private void assertThatTheyMeetLater(final HandBond refused) {
        assertRefusedOnce(refused);
        bonds.advance(1_000 * MS);
        assertThat(known(passive)).as("%s", refused.journal()).isEqualTo(2);
        assertThat(known(active)).isEqualTo(2);
        assertRefusedOnce(refused);
    }

    @ParameterizedTest
    @ValueSource(strings = {"allocPd", "createCq", "regMr"})
    void whoConnectsIsToldSoAndTheLinkIsOpenedLater(final String verb) {
        bonds.a.device(1).refuseOnce(verb);
        bonds.connect(active, passive);
        assertThatTheyMeetLater(bonds.a);
    }

    @ParameterizedTest
    @ValueSource(strings = {"allocPd", "createCq", "regMr"})
    void whoIsAskedForALinkRefusesItAsOneThatMayComeAgain(final String verb) {
        bonds.b.device(1).refuseOnce(verb);
        bonds.connect(active, passive);
        assertThatTheyMeetLater(bonds.b);
    }

    @Test
    void aKeyThatCouldNotBeAskedForIsAskedForLater() {
        bonds.connect(active, passive);
        bonds.b.device(1).refuseOnce("regMr");
        passive.write(1, "one", active.into(0), active.region().rkey());
        bonds.settle();
        assertThat(passive.polled()).isEmpty();
        assertRefusedOnce(bonds.b);
        bonds.advance(1_000 * MS);
        assertThat(passive.polled()).containsExactly("1 SUCCESS");
        assertThat(active.text(0, 3)).isEqualTo("one");
    }
}
