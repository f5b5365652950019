package io.vhca.tool.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The host that the tests run on. */
class ThisHostTest {
    private final ThisHost host = new ThisHost("", 300);

    /** Some of the kernel's files give all they have to the first read, however small, and say that they are empty. */
    @Test
    void filesOfTheKernelAreReadAsAWhole() throws Exception {
        for (final String file : List.of("/proc/sys/net/core/rmem_max", "/proc/sys/kernel/pid_max", "/proc/version")) {
            final Process cat = new ProcessBuilder("cat", file).start();
            final String expected = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(cat.waitFor()).isZero();
            assertThat(expected).hasSizeGreaterThan(1);
            assertThat(host.read(Path.of(file))).as(file).isEqualTo(expected);
        }
        assertThat(host.read(Path.of("/proc/self/limits"))).contains("Max locked memory");
        assertThat(host.read(Path.of("/proc/no/such"))).isNull();
    }

    @Test
    void programsAreRunAndThoseThatFailSayNothing() throws TimeoutException {
        assertThat(host.run(List.of("echo", "a", "b"))).isEqualTo("a b\n");
        assertThat(host.run(List.of("false"))).isNull();
        assertThat(host.run(List.of("no-such-program-of-vhca"))).isNull();
    }

    /** Also where it is ended before anybody reads what it prints. */
    @RepeatedTest(20)
    void aProgramThatIsLateHasNotFailed() {
        assertThatThrownBy(() -> new ThisHost("", 0).run(List.of("sleep", "3600")))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("`sleep 3600` did not answer within 0 s");
    }

    @Test
    void aDirectoryThatOthersMayWriteIsNotTrustedAndOneOfThisUsersIs(@TempDir final Path directory) throws Exception {
        assertThat(host.distrust(directory)).isEmpty();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(host.distrust(directory)).contains("may be written by other users", directory.toString());
        assertThat(host.distrust(directory.resolve("none"))).contains("above it, may be written");
    }

    @Test
    void aDirectoryIsWhereItsLinksLeadAlsoOneThatIsNotThere(@TempDir final Path named) throws Exception {
        final Path directory = named.toRealPath();
        final Path to = Files.createDirectory(directory.resolve("to"));
        final Path link = Files.createSymbolicLink(directory.resolve("link"), to);
        assertThat(host.real(link)).isEqualTo(to);
        assertThat(host.real(link.resolve("a/b"))).isEqualTo(directory.resolve("to/a/b"));
    }
}
