package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceHoldersTest {
    private final DeviceHolders holders = new DeviceHolders();
    private final BondDevice bond = bond("bond0", "able0");
    private final BondDevice other = bond("bond1", "able1");

    private static BondDevice bond(final String name, final String member) {
        return new BondDevice(BondConfig.builder(name).members(List.of(member)).build());
    }

    private static Device twin(final int number) {
        return new FakeProvider.FakeDevice("faketwin" + number);
    }

    @Test
    void ofTwoOfOneNodeGuidALostDeviceIsNeverTheOneOfAnotherBond() {
        try (Context _ = bond.open(); Context _ = other.open()) {
            holders.take(twin(1), other);
            holders.take(twin(0), bond);
            assertThat(holders.again(twin(0), Set.of(), bond).name()).isEqualTo("faketwin0");
            assertThatThrownBy(() -> holders.again(twin(9), Set.of(), bond))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
            assertThatThrownBy(() -> holders.take(twin(0), other))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContainingAll("bond1", "faketwin0", "belongs to bond0");
            holders.release(twin(0), bond);
            holders.take(twin(0), other);
        }
    }

    /** It could be the one that is held, under another name. */
    @Test
    void aDeviceOfAHeldNodeGuidIsTheOneThatIsNotListed() {
        try (Context _ = bond.open(); Context _ = other.open()) {
            holders.take(twin(9), bond);
            assertThatThrownBy(() -> holders.take(twin(0), other))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContainingAll("faketwin0", "belongs to bond0");
            holders.take(twin(0), bond);
            holders.release(twin(9), bond);
            holders.take(twin(0), other);
        }
        holders.take(twin(0), bond);
    }

    /** Whether it can be used is known later: until then it is held by the name that it had. */
    @Test
    void aDeviceIsHeldByItsOtherNameOnceItIsTheMember() {
        try (Context _ = bond.open(); Context _ = other.open()) {
            holders.take(twin(9), bond);
            assertThatThrownBy(() -> holders.take(twin(1), other)).hasMessageContaining("belongs to bond0");
            holders.renamed(twin(9), twin(0), bond);
            holders.take(twin(1), other);
            assertThatThrownBy(() -> holders.take(twin(0), other)).hasMessageContaining("belongs to bond0");
            holders.release(twin(9), bond);
            assertThatThrownBy(() -> holders.take(twin(0), other)).hasMessageContaining("belongs to bond0");
            holders.release(twin(0), bond);
            holders.take(twin(0), other);
        }
    }
}
