package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which device is at which end of which link. */
class MemberKindsTest {
    @Test
    void mixedHasOneOfEachOnEachLinkAndOnEachSide() {
        assertThat(MemberKinds.MIXED.names(1)).containsExactly("rxe0", "soft1");
        assertThat(MemberKinds.MIXED.names(2)).containsExactly("soft0", "rxe1");
        assertThat(MemberKinds.MIXED.words(2)).containsExactly("soft", "rxe");
        assertThat(MemberKinds.MIXED.softDevices(1)).isEqualTo("soft1=10.77.1.1");
        assertThat(MemberKinds.MIXED.needsRxe()).isTrue();
    }

    @Test
    void theOthersAreTheSameEverywhere() {
        assertThat(MemberKinds.RXE.names(1)).isEqualTo(MemberKinds.RXE.names(2)).containsExactly("rxe0", "rxe1");
        assertThat(MemberKinds.RXE.softDevices(1)).isEmpty();
        assertThat(MemberKinds.SOFT.names(1)).containsExactly("soft0", "soft1");
        assertThat(MemberKinds.SOFT.softDevices(2)).isEqualTo("soft0=10.77.0.2,soft1=10.77.1.2");
        assertThat(MemberKinds.SOFT.needsRxe()).isFalse();
    }
}
