package io.vhca.ras.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vhca.api.UntrustedFileException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
    private static final int OTHER_USER = 64_321;
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> GROUP = PosixFilePermissions.fromString("rwxr-x---");
    private static final Path NAME = Path.of("bond0.1.status");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    private static String mode(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void chmod(final Path path, final String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void giveAway(final Path path) throws IOException {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
                "only root can give a directory to another user; TrustTest judges one that belongs to another");
        Files.setAttribute(path, "unix:uid", OTHER_USER);
    }

    private static void assertRefused(final Path directory, final String... why) {
        assertThatThrownBy(() -> PrivateDirectory.create(directory, OWNER).close())
                .isInstanceOf(UntrustedFileException.class)
                .hasMessageContainingAll(why)
                .hasMessageEndingWith("name another directory");
    }

    /** Containers that share the directory have the same process numbers, and so the same names. */
    @Test
    void aFileOfAnotherThatHasTheNameNowIsNotDeletedInItsPlace() throws IOException {
        final Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rw-------");
        try (PrivateDirectory opened = PrivateDirectory.create(parent.resolve("vhca"), OWNER)) {
            opened.createFile(NAME, mode).close();
            final Object own = opened.key(NAME);
            opened.move(NAME, Path.of("moved"));
            opened.createFile(NAME, mode).close();
            opened.delete(NAME, own);
            assertThat(opened.names()).contains(NAME);
            opened.delete(NAME, opened.key(NAME));
            assertThat(opened.names()).doesNotContain(NAME);
            opened.delete(NAME, own);
        }
    }

    @Test
    void aDirectoryThatIsNotThereIsJudgedByWhatIsAboveIt() throws IOException {
        final Path missing = parent.resolve("app").resolve("vhca");
        PrivateDirectory.check(missing);
        chmod(parent, "rwxrwxrwx");
        assertThatThrownBy(() -> PrivateDirectory.check(missing))
                .isInstanceOf(UntrustedFileException.class)
                .hasMessageContaining("above it, may be written by other users");
        chmod(parent, "rwx------");
    }

    @Test
    void itIsMadeForItsOwnerAloneAndOpenedToTheGroupWhereThatIsWanted() throws IOException {
        final Path directory = parent.resolve("vhca");
        PrivateDirectory.create(directory, OWNER).close();
        assertThat(mode(directory)).isEqualTo("rwx------");
        PrivateDirectory.create(directory, GROUP).close();
        assertThat(mode(directory)).isEqualTo("rwxr-x---");
        try (PrivateDirectory opened = PrivateDirectory.create(directory, OWNER)) {
            assertThat(mode(directory)).as("another bond may want it so").isEqualTo("rwxr-x---");
            opened.createFile(NAME, PosixFilePermissions.fromString("rw-rw-rw-")).close();
            assertThat(mode(directory.resolve(NAME))).as("whatever the umask").isEqualTo("rw-rw-rw-");
            assertThat(opened.names()).containsExactly(NAME);
            opened.delete(NAME);
            opened.delete(NAME);
            assertThat(opened.names()).isEmpty();
        }
        assertThatThrownBy(() -> PrivateDirectory.open(parent.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void oneOfAnotherUserIsRefused() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("planted"));
        giveAway(directory);
        assertRefused(directory, directory.toString(), "belongs to user " + OTHER_USER);
    }

    @Test
    void oneBelowADirectoryOfAnotherUserIsRefused() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("home/vhca"));
        giveAway(parent.resolve("home"));
        assertRefused(directory, directory + ": " + parent.resolve("home") + ", above it, belongs to user");
    }

    @Test
    void oneThatOthersMayWriteOrExchangeIsRefused() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("open/vhca"));
        chmod(directory, "rwxrwx---");
        assertRefused(directory, "mode 0770");
        chmod(directory, "rwx------");
        chmod(parent.resolve("open"), "rwxrwxrwx");
        assertRefused(directory, parent.resolve("open") + ", above it, may be written by other users (mode 0777)");
    }

    @Test
    void aLinkInItsPlaceIsRefusedAndWhatItPointsToStays() throws IOException {
        final Path target = OwnDirectories.create(parent.resolve("target"));
        final Path link = Files.createSymbolicLink(parent.resolve("vhca"), target);
        assertRefused(link, "is a symbolic link");
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void linksInItAreNotFollowed() throws IOException {
        final Path target = Files.writeString(parent.resolve("precious"), "kept");
        final Path directory = parent.resolve("vhca");
        try (PrivateDirectory opened = PrivateDirectory.create(directory, OWNER)) {
            Files.createSymbolicLink(directory.resolve(NAME), target);
            assertThatThrownBy(() -> opened.createFile(NAME, PosixFilePermissions.fromString("rw-rw-rw-")))
                    .isInstanceOf(FileAlreadyExistsException.class);
            opened.delete(NAME);
            assertThat(opened.names()).isEmpty();
        }
        assertThat(target).hasContent("kept");
    }

    /** Another directory of the same path is another directory. */
    @Test
    void namesAreThoseOfWhatWasOpened() throws IOException {
        final Path directory = parent.resolve("vhca");
        try (PrivateDirectory opened = PrivateDirectory.create(directory, OWNER)) {
            Files.move(directory, parent.resolve("moved"));
            Files.createFile(Files.createDirectory(directory).resolve(NAME));
            opened.delete(NAME);
            assertThat(directory.resolve(NAME)).exists();
            opened.createFile(NAME, PosixFilePermissions.fromString("rw-------")).close();
            assertThat(parent.resolve("moved").resolve(NAME)).exists();
        }
    }

    /** Those that read there go by the path as it was named. */
    @Test
    void twoPointsBehindALinkLeadWhereTheyLeadTheKernel() throws IOException {
        final Path directory = parent.resolve("link/../vhca");
        OwnDirectories.create(parent.resolve("far/real"));
        Files.createSymbolicLink(parent.resolve("link"), parent.resolve("far/real"));
        try (PrivateDirectory opened = PrivateDirectory.create(directory, OWNER)) {
            assertThat(opened.path()).isEqualTo(parent.toRealPath().resolve("far/vhca"));
        }
    }

    @Test
    void linksAboveItAreResolvedOnce() throws IOException {
        final Path directory = parent.resolve("link/vhca");
        OwnDirectories.create(parent.resolve("real"));
        Files.createSymbolicLink(parent.resolve("link"), parent.resolve("real"));
        try (PrivateDirectory opened = PrivateDirectory.create(directory, OWNER)) {
            assertThat(opened.path()).isEqualTo(parent.toRealPath().resolve("real/vhca"));
        }
    }
}
