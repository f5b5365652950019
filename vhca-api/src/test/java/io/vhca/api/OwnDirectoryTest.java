package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By its path; what becomes of owners and modes {@link TrustTest} shows. */
class OwnDirectoryTest {
    private static final String ELSEWHERE = "name another one by THIS_VARIABLE";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    /** For its owner alone, as those above it that are missing, whatever the umask is. */
    private static Path create(final Path directory) throws IOException {
        return Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private void isRefused(final Path directory, final String why) {
        assertThatThrownBy(() -> OwnDirectory.check(directory, ELSEWHERE))
                .isInstanceOf(UntrustedFileException.class)
                .hasMessageContaining(why)
                .hasMessageEndingWith(ELSEWHERE);
    }

    @Test
    void itIsWhereNoLinkIsOnTheWay() throws IOException {
        final Path directory = create(parent.resolve("real/vhca"));
        final Path link = Files.createSymbolicLink(parent.resolve("link"), parent.resolve("real"));
        final OwnDirectory own = OwnDirectory.check(link.resolve("vhca"), ELSEWHERE);
        assertThat(own.path()).isEqualTo(directory.toRealPath());
        own.checkSame(Files.getAttribute(directory, "unix:fileKey"));
        assertThatThrownBy(() -> own.checkSame(Files.getAttribute(parent, "unix:fileKey")))
                .isInstanceOf(UntrustedFileException.class)
                .hasMessageContaining("was exchanged while it was opened");
        assertThatThrownBy(() -> OwnDirectory.check(parent.resolve("none"), ELSEWHERE))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aPointBehindALinkHidesNotThatItIsOne() throws IOException {
        final Path directory = create(parent.resolve("real"));
        final Path link = Files.createSymbolicLink(parent.resolve("link"), directory);
        isRefused(link, link + " is a symbolic link");
        isRefused(link.resolve("."), link + " is a symbolic link");
        isRefused(link.resolve("./."), link + " is a symbolic link");
        assertThat(OwnDirectory.check(directory.resolve("."), ELSEWHERE).path()).isEqualTo(directory.toRealPath());
    }

    /** What is above a directory that a link leads to: not what is beside the link. */
    @Test
    void twoPointsLeadWhereTheKernelGoes() throws IOException {
        create(parent.resolve("far/real"));
        final Path directory = create(parent.resolve("far/vhca"));
        final Path link = Files.createSymbolicLink(parent.resolve("link"), parent.resolve("far/real"));
        assertThat(OwnDirectory.check(link.resolve("../vhca"), ELSEWHERE).path()).isEqualTo(directory.toRealPath());
        Files.setPosixFilePermissions(parent.resolve("far"), PosixFilePermissions.fromString("rwxrwxrwx"));
        isRefused(link.resolve("../vhca"), parent.resolve("far") + ", above it, may be written by other users");
    }
}
