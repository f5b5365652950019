package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.NodeType;
import io.vhca.api.VerbsException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {
    private record Named(String name) implements Device {
        @Override
        public long nodeGuid() {
            return 1;
        }

        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public Context open() {
            throw new UnsupportedOperationException();
        }
    }

    private record Provider(String name, List<Device> devices) implements DeviceProvider {
        Provider(final String name, final String... devices) {
            this(name, Stream.of(devices).<Device>map(Named::new).toList());
        }

        @Override
        public String unavailableReason() {
            return "";
        }
    }

    private static List<DeviceProvider> softAndBond() {
        return List.of(new Provider("soft", "soft0", "soft1"), new Provider("bond", "bond0"));
    }

    @Test
    void theNamedOneIsTaken() {
        assertThat(DeviceChoice.choose("soft1", softAndBond()).name()).isEqualTo("soft1");
    }

    @Test
    void theOnlyBondIsTakenWhateverElseThereIs() {
        assertThat(DeviceChoice.choose(null, softAndBond()).name()).isEqualTo("bond0");
    }

    @Test
    void theOnlyDeviceIsTakenWhereThereIsNoBond() {
        assertThat(DeviceChoice.choose(null, List.of(new Provider("verbs", "mlx5_0"), new Provider("bond")))
                        .name())
                .isEqualTo("mlx5_0");
    }

    @Test
    void whereItCannotBeToldTheNamesAreListed() {
        assertThatThrownBy(() -> DeviceChoice.choose(null, List.of(new Provider("bond", "bond0", "bond1"))))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("[bond0, bond1]")
                .hasMessageContaining("-Dvhca.disni.device=NAME");
        assertThatThrownBy(() -> DeviceChoice.choose("bond7", List.of(new Provider("bond", "bond0"))))
                .hasMessageContaining("bond7")
                .hasMessageContaining("[bond0]");
        assertThatThrownBy(() -> DeviceChoice.choose(null, List.of())).hasMessageContaining("there is no device");
    }
}
