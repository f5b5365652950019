package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServiceClassTest {
    @Test
    void aFieldThatDoesNotFitIsNamedWithWhatIsAllowed() {
        assertThatThrownBy(() -> ServiceClass.ofTos(256))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("traffic_class is 256, allowed is 0 to 255");
        assertThatThrownBy(() -> new ServiceClass(0, 16, 1)).hasMessageContaining("sl is 16");
        assertThatThrownBy(() -> new ServiceClass(0, 0, 0)).hasMessageContaining("hop_limit is 0");
    }

    @Test
    void anAddressVectorAndBack() {
        final AhAttributes ah = new ServiceClass(0x6a, 3, 9).to(new Gid(1, 2), 4, 1);
        assertThat(ah).isEqualTo(new AhAttributes(new Gid(1, 2), 4, 9, 0x6a, 1, 3));
        assertThat(ServiceClass.of(ah)).isEqualTo(new ServiceClass(0x6a, 3, 9));
        assertThat(ServiceClass.NONE.to(new Gid(1, 2), 4, 1)).isEqualTo(new AhAttributes(new Gid(1, 2), 4, 0, 0, 1));
        assertThat(ServiceClass.of(AhAttributes.to(new Gid(1, 2))).hopLimit()).isEqualTo(ServiceClass.UNSET);
    }

    @Test
    void whatIsNotSetComesFromElsewhere() {
        assertThat(ServiceClass.ofTos(8).or(new ServiceClass(1, 2, 3))).isEqualTo(new ServiceClass(8, 2, 3));
        assertThat(ServiceClass.asked(0, 0)).isEqualTo(ServiceClass.NONE);
    }

    @Test
    void theUpperBitsAreThePriorityAndTheLowerOnesAreEcn() {
        assertThat(ServiceClass.priority(0x6a)).isEqualTo(3);
        assertThat(ServiceClass.priority(0xff)).isEqualTo(7);
        assertThat(ServiceClass.isMarkable(0x68)).isFalse();
        assertThat(ServiceClass.isMarkable(0x6a)).isTrue();
    }
}
