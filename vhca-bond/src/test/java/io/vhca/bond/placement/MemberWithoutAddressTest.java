package io.vhca.bond.placement;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bond whose process begins while one of its networks is out, as where DHCP has no answer there. */
class MemberWithoutAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::"})
    void theBondOpensAndConnectsOverTheOtherMember(final String none) {
        try (TwoBonds bonds = TwoBonds.withB1At(none)) {
            final TwoBonds.Connection pair = bonds.connect();
            pair.active().send(1, "one");
            pair.passive().receives(1);
            bonds.settle();
            assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
            assertThat(bonds.b.member(0).isUp()).isTrue();
            bonds.advance(2_000 * MS);
            assertThat(bonds.b.member(1).isUp()).as("its port alone does not make it up").isFalse();
        }
    }

    /** An application may connect before the bond's thread has had a turn. */
    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::"})
    void itIsDownFromTheBeginningAndTheOtherMemberIsActive(final String none) {
        try (TwoBonds bonds = TwoBonds.withBAt(none, "10.2.0.2")) {
            assertThat(bonds.b.member(0).isUp()).isFalse();
            bonds.b.locked(() ->
                    assertThat(bonds.b.cm().placement().preferred(0)).isSameAs(bonds.b.member(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::"})
    void onceItHasAnAddressPeersComeToIt(final String none) {
        try (TwoBonds bonds = TwoBonds.withB1At(none)) {
            final TwoBonds.Connection pair = bonds.connect();
            bonds.advance(2_000 * MS);
            bonds.b.device(1).address("10.2.0.2");
            bonds.advance(2_000 * MS);
            assertThat(bonds.b.member(1).isUp()).isTrue();
            assertThat(bonds.b.member(1).address()).isEqualTo(InetAddress.ofLiteral("10.2.0.2"));
            bonds.b.device(0).port(false);
            bonds.advance(2_000 * MS);
            assertThat(pair.active().recovery().attachment().describe()).isEqualTo("a1 -> 10.2.0.2");
        }
    }

    /** No listener can be bound on it. */
    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::"})
    void aDeviceThatComesBackWithoutAnAddressIsAMemberAgain(final String none) {
        try (TwoBonds bonds = new TwoBonds()) {
            bonds.b.device(1).die();
            bonds.advance(1_000 * MS);
            bonds.b.device(1).address(none);
            bonds.b.device(1).plug();
            bonds.advance(1_000 * MS);
            assertThat(bonds.b.member(1).isAlive()).isTrue();
            assertThat(bonds.b.member(1).isUp()).isFalse();
            bonds.connect();
            bonds.b.device(1).address("10.2.0.2");
            bonds.advance(1_000 * MS);
            assertThat(bonds.b.member(1).isUp()).isTrue();
        }
    }
}
