package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BondProviderTest {
    private final BondProvider provider = new BondProvider();

    @BeforeEach
    void forget() {
        FakeProvider.LOG.clear();
    }

    @AfterEach
    void unset() {
        System.clearProperty(BondProvider.PROPERTY);
    }

    @Test
    void nothingConfiguredOffersNothingAndShowsHowTo() {
        System.setProperty(BondProvider.PROPERTY, "");
        assertThat(provider.devices()).isEmpty();
        assertThat(provider.unavailableReason()).contains("-Dvhca.bond=", "members=", BondProvider.DEFAULT_FILE);
    }

    @Test
    void listingAnInlineConfigurationOpensNothingAndGivesTheSameObjects() {
        System.setProperty(BondProvider.PROPERTY, "bond0: members=fake0,fake1; bond1: members=fake2,fake3");
        assertThat(provider.devices()).extracting(Device::name).containsExactly("bond0", "bond1");
        assertThat(new BondProvider().devices().get(0)).isSameAs(provider.devices().get(0));
        assertThat(Devices.list()).extracting(Device::name).contains("bond0", "fake0");
        assertThat(provider.unavailableReason()).isEmpty();
        assertThat(FakeProvider.LOG).isEmpty();
    }

    @Test
    void aFileIsReadByItsPath(@TempDir final Path directory) throws IOException {
        final Path file = Files.writeString(directory.resolve("bonds"), "[bond7]\nmembers = fake0, fake1\n");
        System.setProperty(BondProvider.PROPERTY, file.toString());
        assertThat(provider.devices()).extracting(Device::name).containsExactly("bond7");
    }

    @Test
    void aFileThatIsNotThereIsNamed(@TempDir final Path directory) {
        final String file = directory.resolve("none").toString();
        System.setProperty(BondProvider.PROPERTY, file);
        assertThatThrownBy(provider::devices)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
                .hasMessageContaining(file);
    }

    @Test
    void aDirectoryAndAFileThatIsNoTextAreSaidToBeThat(@TempDir final Path directory) throws IOException {
        System.setProperty(BondProvider.PROPERTY, directory.toString());
        assertThatThrownBy(provider::devices)
                .isInstanceOf(VerbsException.class)
                .hasMessageContainingAll(directory.toString(), "it is a directory; name a file in it");
        final Path bytes = Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        System.setProperty(BondProvider.PROPERTY, bytes.toString());
        assertThatThrownBy(provider::devices)
                .isInstanceOf(VerbsException.class)
                .hasMessageContainingAll(bytes.toString(), "it is no text in UTF-8");
    }

    @Test
    void optionsWithoutABondAreNotTakenForTheNameOfAFile() {
        System.setProperty(BondProvider.PROPERTY, "members = soft0");
        assertThatThrownBy(provider::devices)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("members = soft0", "neither a file nor", "bond0: members=soft0,soft1");
    }

    @Test
    void aWrongConfigurationIsEinvalWithEveryError() {
        System.setProperty(BondProvider.PROPERTY, "bond0: members=fake0 retry_cnt=8");
        assertThatThrownBy(provider::devices)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("vhca.bond", "retry_cnt", "members");
    }
}
