package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.Errno;
import io.vhca.api.ProcessUser;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where nobody else puts a socket, or what is taken for one, in the place of a driver's. */
class AttachPathTest {
    private static final long OTHER_USER = 64_321;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void inADirectoryThatOthersMayWriteNoDriverListens() throws IOException {
        try (SharedDrivers all = new SharedDrivers(directory)) {
            final RdpDriver driver = all.open(48);
            for (final String mode : new String[] {"rwxrwxr-x", "rwxr-xrwx"}) {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
                assertThatThrownBy(() -> all.serve(driver))
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
                        .hasMessageContaining(directory + " may be written by other users")
                        .hasMessageContaining("VHCA_RDP_SOCKET_DIR");
                assertThat(AttachPath.of(driver.name())).doesNotExist();
            }
            // Others search it, and reach the socket by its name.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
            all.serve(driver);
            assertThat(all.attach(driver).bind(0).pending()).isZero();
        }
    }

    /** As who has made it first in a directory that all may write to. */
    @Test
    void whoListensInAnotherUsersDirectoryIsNotAsked() throws IOException {
        final Path socket = directory.resolve("bond0.rdpd");
        assertThatThrownBy(() -> AttachPath.check(socket, new UnixPeer(1, OTHER_USER, 0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(socket + " is a process of user " + OTHER_USER)
                .hasMessageContaining("its directory belongs to user " + ProcessUser.number());
        for (final long trusted : new long[] {0, ProcessUser.number()}) {
            assertThatCode(() -> AttachPath.check(socket, new UnixPeer(1, trusted, 0))).doesNotThrowAnyException();
        }
        assumeThat(ProcessUser.number()).as("only root can give a directory to another user").isZero();
        Files.setAttribute(directory, "unix:uid", (int) OTHER_USER);
        assertThatCode(() -> AttachPath.check(socket, new UnixPeer(1, OTHER_USER, 0))).doesNotThrowAnyException();
    }

    @Test
    void noLogIsWrittenThroughALink() throws IOException {
        try (SharedDrivers _ = new SharedDrivers(directory)) {
            final Path log = DriverProcess.log("bond0");
            Files.createSymbolicLink(log, directory.resolve("other"));
            assertThatThrownBy(() -> DriverProcess.log("bond0"))
                    .isInstanceOf(IOException.class)
                    .hasMessage(log + " is no file, and takes no log; delete it");
        }
    }
}
