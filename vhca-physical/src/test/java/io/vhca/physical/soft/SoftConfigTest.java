package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configuration errors name the key and say what is allowed; opening says why a device cannot be had. */
class SoftConfigTest {
    @Test
    void readsDevicesWithOptions() {
        assertThat(SoftConfig.parse("soft0=127.0.0.1, soft1 = ::1 ; mtu=1024"))
                .containsExactly(
                        new SoftConfig("soft0", InetAddress.ofLiteral("127.0.0.1"), 4096),
                        new SoftConfig("soft1", InetAddress.ofLiteral("::1"), 1024));
        assertThat(SoftConfig.parse("soft0=127.0.0.1;rate=100;poll_us=50;capture=/tmp/packets"))
                .containsExactly(new SoftConfig(
                        "soft0", InetAddress.ofLiteral("127.0.0.1"), 4096, 100, 50, Path.of("/tmp/packets")));
        assertThat(SoftConfig.parse(" ")).isEmpty();
        assertThat(SoftConfig.parse(SoftConfig.DEFAULT)).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "soft0|soft0|NAME=ADDRESS",
                "=127.0.0.1|NAME=ADDRESS|letters",
                "0x=127.0.0.1|0x=127.0.0.1|letters",
                "soft0=somewhere|somewhere|IP address",
                "soft0=127.0.0.1;mtu=1500|1500|256, 512, 1024, 2048, 4096",
                "soft0=127.0.0.1;mut=1024|mut|mtu, rate, poll_us and capture",
                "soft0=127.0.0.1;rate=0|rate '0'|1 to 100000 megabits",
                "soft0=127.0.0.1;rate=1gbit|rate '1gbit'|1 to 100000 megabits",
                "soft0=127.0.0.1;capture=|capture needs a directory|capture=/tmp/packets",
                "soft0=127.0.0.1;poll_us=20000|poll_us '20000'|0 to 10000 microseconds",
                "soft0=127.0.0.1,soft0=127.0.0.2|soft0|twice",
                "soft0=127.0.0.1,soft1=127.0.0.1|127.0.0.1|already",
                "soft0=127.0.0.1,|empty entry|NAME=ADDRESS"
            })
    void namesWhatIsWrongAndWhatIsAllowed(final String text, final String key, final String allowed) {
        assertThatThrownBy(() -> SoftConfig.parse(text))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(SoftConfig.PROPERTY)
                .hasMessageContaining(key)
                .hasMessageContaining(allowed);
    }

    @Test
    void anAddressOfAnotherHostIsNotAvailable() {
        final SoftDevice device = SoftDevice.overUdp(new SoftConfig("far", InetAddress.ofLiteral("192.0.2.1"), 4096));
        assertThatThrownBy(device::open)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL))
                .hasMessageContaining("192.0.2.1")
                .hasMessageContaining("VHCA_SOFT");
    }

    @Test
    void aTakenPortIsInUseUntilItsHolderCloses() {
        final int pid = (int) ProcessHandle.current().pid();
        final InetAddress address =
                InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + ".21");
        final SoftDevice first = SoftDevice.overUdp(new SoftConfig("first", address, 4096));
        final SoftDevice second = SoftDevice.overUdp(new SoftConfig("second", address, 4096));
        assertThat(first.nodeGuid()).isNotEqualTo(second.nodeGuid());
        try (SoftContext held = first.open()) {
            assertThat(held.device()).isSameAs(first);
            try (SoftContext shared = first.open()) {
                assertThat(shared).isNotSameAs(held);
            }
            assertThatThrownBy(second::open)
                    .isInstanceOfSatisfying(VerbsException.class, e ->
                            assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                    .hasMessageContaining("4791");
        }
        try (SoftContext free = second.open()) {
            assertThat(free.queryPort(1).gidTblLen()).isEqualTo(1);
        }
    }

    @Test
    void aKilledDeviceIsGoneUntilItIsRevived() {
        final int pid = (int) ProcessHandle.current().pid();
        final InetAddress address =
                InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + ".22");
        final SoftDevice device = SoftDevice.overUdp(new SoftConfig("mortal", address, 4096));
        final SoftContext zombie = device.open();
        final var pd = zombie.allocPd();
        device.kill();
        assertThatThrownBy(zombie::queryDevice)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        assertThatThrownBy(device::open)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
        device.revive();
        try (SoftContext again = device.open()) {
            assertThat(again.queryDevice().nodeGuid()).isEqualTo(device.nodeGuid());
            pd.close();
            zombie.close();
            assertThat(again.queryDevice().nodeGuid()).isEqualTo(device.nodeGuid());
        }
    }
}
