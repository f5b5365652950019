package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfigSource;
import java.io.IOException;
import java.nio.file.FileSystemException;
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
    void aProcessWithoutADescriptorIsNoWrongConfiguration() {
        assertThat(BondProvider.errno(new FileSystemException("vhca.conf", null, BondConfigSource.NO_DESCRIPTOR)))
                .isEqualTo(Errno.EMFILE);
        assertThat(BondProvider.errno(new FileSystemException("vhca.conf"))).isEqualTo(Errno.EINVAL);
    }

    @Test
    void aWrongConfigurationIsEinvalWithEveryError() {
        System.setProperty(BondProvider.PROPERTY, "bond0: members=fake0 retry_cnt=8");
        assertThatThrownBy(provider::devices)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("vhca.bond", "retry_cnt", "members");
    }

    @Test
    void optionsWithoutABondsNameAreNoFile() {
        System.setProperty(BondProvider.PROPERTY, "members = soft0");
        assertThatThrownBy(provider::devices)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("vhca.bond", "looks like options without a bond's name", "bond0: members=");
    }

    @Test
    void aDirectoryAndAFileThatIsNoTextAreSaidToBeThat(@TempDir final Path directory) throws IOException {
        final Path file = Files.write(directory.resolve("core"), new byte[] {0x7f, 'E', 'L', 'F', 0});
        for (final Path path : new Path[] {directory, file}) {
            System.setProperty(BondProvider.PROPERTY, path.toString());
            assertThatThrownBy(provider::devices)
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining(
                            path + " failed (EINVAL): it is " + (path == file ? "no text" : "a directory"));
            assertThat(provider.unavailableReason()).isEmpty();
        }
    }
}
