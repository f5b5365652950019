package io.vhca.tool.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.OpenedFile;
import io.vhca.api.ProcessUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuardConfigTest {
    private static final int OTHER_USER = 64_321;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private long self;

    @BeforeEach
    void askWhoThisIs() throws IOException {
        self = ProcessUser.number();
    }

    private Path file(final String permissions, final String text) throws IOException {
        final Path file = Files.writeString(directory.resolve("guard.conf"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void everyKeyCounts() throws IOException {
        final Path file = file(
                "rw-r--r--", "# ours\nend = rping, ib_send_bw\ngrace_ms = 7\nkill_after_ms=0\ndry_run = false\n");
        assertThat(GuardConfig.read(file, self))
                .isEqualTo(new GuardConfig(Set.of("rping", "ib_send_bw"), 7, 0, false));
    }

    /** As the users of a device, and the guard's own error, show it. */
    @Test
    void aNameThatTheKernelCutsInsideALetterCanBeGiven() throws IOException {
        assertThat(GuardConfig.read(file("rw-------", "end = abcdefghijklmn\uFFFD\n"), self))
                .isEqualTo(new GuardConfig(Set.of("abcdefghijklmn\uFFFD"), 10_000, 5_000, true));
    }

    /** As some editors write. */
    @Test
    void aByteOrderMarkIsNoPartOfAKey() throws IOException {
        assertThat(GuardConfig.read(file("rw-------", "\uFEFFend = rping\n"), self))
                .isEqualTo(new GuardConfig(Set.of("rping"), 10_000, 5_000, true));
    }

    @Test
    void nobodyIsEndedByDefault() throws IOException {
        assertThat(GuardConfig.read(file("rw-------", ""), self))
                .isEqualTo(new GuardConfig(Set.of(), 10_000, 5_000, true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grace = 5|there is no grace; keys are end, grace_ms, kill_after_ms, dry_run",
                "grace_ms = soon|grace_ms = soon is no time in ms from 0 to 3600000",
                "kill_after_ms = -1|kill_after_ms = -1 is no time in ms",
                "dry_run = no|dry_run = no is not true or false",
                "end = a_very_long_program|matches no process; the kernel knows a_very_long_pro only",
                "end = n\u00e4mes_of_bytes_|matches no process; the kernel knows n\u00e4mes_of_bytes only, 15 bytes"
            })
    void whatIsWrongIsNamed(final String text, final String error) throws IOException {
        final Path file = file("rw-------", text);
        assertThatThrownBy(() -> GuardConfig.read(file, self))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(error);
    }

    @Test
    void whatIsNoTextIsSaidOfTheFile() throws IOException {
        final Path file = file("rw-------", "end = \\uzz\n");
        assertThatThrownBy(() -> GuardConfig.read(file, self))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + ": Malformed \\uxxxx encoding.");
        Files.write(file, new byte[] {'e', 'n', 'd', '=', -1});
        assertThatThrownBy(() -> GuardConfig.read(file, self))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + " is no text in UTF-8");
    }

    @ParameterizedTest
    @CsvSource({"rw-rw----", "rw----rw-"})
    void whatOthersMayWriteIsNotRead(final String permissions) throws IOException {
        final Path file = file(permissions, "end = rping\ndry_run = false\n");
        assertThatThrownBy(() -> GuardConfig.read(file, self))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chmod go-w");
    }

    /** As where it is exchanged between a look at its name and the open. */
    @Test
    void whatWasOpenedIsJudgedWhateverHasItsNameNow() throws IOException {
        final Path file = file("rw-rw-rw-", "end = rping\ndry_run = false\n");
        try (OpenedFile opened = OpenedFile.open(file)) {
            Files.move(file, directory.resolve("other"));
            file("rw-------", "end = ib_send_bw\n");
            assertThatThrownBy(() -> GuardConfig.read(file, opened, self))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(file + " can be written by others");
        }
        try (OpenedFile opened = OpenedFile.open(file)) {
            Files.delete(file);
            assertThat(GuardConfig.read(file, opened, self).programs()).containsExactly("ib_send_bw");
        }
    }

    @Test
    void aLinkAndADirectoryAreNotRead() throws IOException {
        final Path link = Files.createSymbolicLink(
                directory.resolve("link"), file("rw-------", "end = rping\n"));
        for (final Path path : List.of(link, directory)) {
            assertThatThrownBy(() -> GuardConfig.read(path, self))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(path + " is no file but a directory, a link or a device; name the file itself");
        }
    }

    @Test
    void anotherUsersFileIsNotRead() throws IOException {
        assumeThat(self).as("a file of root is read by all").isNotZero();
        final Path file = file("rw-------", "end = rping\n");
        assertThatThrownBy(() -> GuardConfig.read(file, self + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + " belongs to user " + self + " and is to be a file of user " + (self + 1)
                        + " or root: it says who is ended");
    }

    /** The JDK has a number where a user has no name, and calls that user itself "?". */
    @Test
    void aUserWithoutANameHasAFile() throws IOException {
        assumeThat(self).as("only root can give a file to another user").isZero();
        final Path file = file("rw-------", "end = rping\n");
        GuardConfig.read(file, OTHER_USER);
        Files.setAttribute(file, "unix:uid", OTHER_USER);
        assertThat(GuardConfig.read(file, OTHER_USER).programs()).containsExactly("rping");
        assertThatThrownBy(() -> GuardConfig.read(file, OTHER_USER + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is to be a file of user " + (OTHER_USER + 1) + " or root: ");
        assertThatThrownBy(() -> GuardConfig.read(file, self))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + " belongs to user " + OTHER_USER
                        + " and is to be a file of root: it says who is ended");
    }
}
