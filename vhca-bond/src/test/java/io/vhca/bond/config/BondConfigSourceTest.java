package io.vhca.bond.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A configuration is found, or the user is told in one sentence what stands where it should be. */
class BondConfigSourceTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {
        "bond0: members=soft0,soft1", "bond0:", "bond0: soft0", "[bond0]", " [bond0]\nmembers = a, b",
        "members = soft0", "members=soft0,soft1", "one\ntwo",
    })
    void optionsAreNoPath(final String setting) throws IOException {
        assertThat(BondConfigSource.of(setting, "VHCA_BOND")).contains(new BondConfigSource("VHCA_BOND", setting));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "no/such.conf", "soft0,soft1", "a:b", "file:/etc/vhca.conf"})
    void anythingElseIsTheNameOfAFile(final String setting) {
        assertThatThrownBy(() -> BondConfigSource.of(setting, "VHCA_BOND"))
                .isInstanceOfSatisfying(NoSuchFileException.class, e -> {
                    assertThat(e.getFile()).isEqualTo(setting);
                    assertThat(e.getReason()).contains("no such file", "bond0: members=");
                });
    }

    @Test
    void nothingIsNothing() throws IOException {
        assertThat(BondConfigSource.of(" ", "VHCA_BOND")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bonds", "a=b: c", "[bonds]"})
    void aFileThatIsThereIsReadWhateverItIsCalled(final String name) throws IOException {
        final Path file = Files.writeString(directory.resolve(name), "[bond7]\n");
        assertThat(BondConfigSource.of(file.toString(), "VHCA_BOND"))
                .contains(new BondConfigSource(file.toString(), "[bond7]\n"));
    }

    /** An editor put it there; one that stands elsewhere is part of the text. */
    @Test
    void aByteOrderMarkIsNoPartOfTheText() throws IOException {
        final Path file = Files.writeString(directory.resolve("marked"), "\uFEFF[bond0]\n");
        assertThat(BondConfigSource.read(file).text()).isEqualTo("[bond0]\n");
        Files.writeString(file, "\uFEFF\uFEFF[bond0]\n");
        assertThat(BondConfigSource.read(file).text()).isEqualTo("\uFEFF[bond0]\n");
    }

    private void assertRefused(final Path file, final String reason) {
        assertThatThrownBy(() -> BondConfigSource.read(file)).isInstanceOfSatisfying(FileSystemException.class, e -> {
            assertThat(e.getFile()).isEqualTo(file.toString());
            assertThat(e.getReason()).contains(reason);
        });
    }

    @Test
    void aDirectoryIsSaidToBeOne() {
        assertRefused(directory, "it is a directory");
    }

    @Test
    void aFileThatIsNoTextIsSaidToBeNone() throws IOException {
        assertRefused(Files.write(directory.resolve("latin1"), new byte[] {'[', (byte) 0xe4, ']'}), "it is no text");
        assertRefused(Files.write(directory.resolve("nul"), new byte[] {'[', 0, ']'}), "it is no text");
        assertRefused(Path.of("/dev/zero"), "more than 1048576 bytes");
    }

    @Test
    void whatCannotBeReadIsSaidWithTheReason() throws IOException {
        final Path file = Files.writeString(directory.resolve("file"), "");
        assertRefused(file.resolve("below"), "the bond configuration cannot be read: Not a directory");
        // As the file system says it where no descriptor is left, in the language of the host.
        for (final String said : new String[] {"Too many open files", "Zu viele offene Dateien"}) {
            assertThat(BondConfigSource.because("f", new FileSystemException("f", null, said), true))
                    .extracting(FileSystemException::getReason)
                    .isEqualTo(BondConfigSource.NO_DESCRIPTOR)
                    .asString()
                    .contains("`ulimit -n`");
        }
        // As the file system says it of a file of somebody else; root, who may run this test, reads them all.
        assertThat(BondConfigSource.because("f", new AccessDeniedException("f"), false))
                .isInstanceOf(AccessDeniedException.class)
                .extracting(FileSystemException::getReason)
                .isEqualTo("this user may not read it");
    }
}
