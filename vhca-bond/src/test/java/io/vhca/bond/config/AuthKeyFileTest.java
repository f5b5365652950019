package io.vhca.bond.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.OpenedFile;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.AuthKey.Purpose;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which key files are read, and what is said of others. */
class AuthKeyFileTest {
    private static final InetAddress ANYBODY = InetAddress.ofLiteral("10.9.9.9");
    private static final InetAddress ONE = InetAddress.ofLiteral("10.1.0.2");
    private static final String DIGITS = "0123456789abcdef".repeat(4);

    private final SplittableRandom random = new SplittableRandom(3);

    @TempDir
    private Path directory;

    private Path file = Path.of("");

    @BeforeEach
    void name() {
        file = directory.resolve("key");
    }

    private void write(final String text) throws Exception {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    private static byte[] proof(final AuthKey key) {
        return key.sign(Purpose.QUESTION, new byte[] {1});
    }

    private List<AuthKey> keys() throws FileSystemException {
        return AuthKeyFile.read(file).keysOf(ANYBODY);
    }

    private void assertRefused(final String why) {
        assertThatThrownBy(() -> AuthKeyFile.read(file))
                .isInstanceOfSatisfying(FileSystemException.class, e -> {
                    assertThat(e.getFile()).isEqualTo(file.toString());
                    assertThat(e.getReason()).contains(why).doesNotContain("\n", DIGITS.substring(0, 16));
                });
    }

    @Test
    void aNewFileIsItsOwnersAloneAndHasOneKey() throws Exception {
        AuthKeyFile.create(file, random);
        assertThat(directory.toFile().list()).containsExactly("key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(keys()).hasSize(1);
        assertThatThrownBy(() -> AuthKeyFile.create(file, random))
                .isInstanceOfSatisfying(FileSystemException.class, e -> assertThat(e.getReason())
                        .contains("there already", "rotate"));
    }

    /** As on a disk that is full: by a process that may write no byte into a file. */
    @Test
    void whatCannotBeWrittenWholeIsNotThere() throws Exception {
        final Process process = new ProcessBuilder(
                        "sh", "-c",
                        "unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS; ulimit -f 0; exec \"$@\"", "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:-UsePerfData",
                        "-cp", System.getProperty("java.class.path"), Creator.class.getName(), file.toString())
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(Creator.REFUSED);
        assertThat(output).startsWith("it cannot be written: ");
        assertThat(directory).isEmptyDirectory();
        AuthKeyFile.create(file, random);
        assertThat(keys()).hasSize(1);
    }

    /** Makes a key file in a process of its own. */
    static final class Creator {
        static final int REFUSED = 9;

        private Creator() {}

        public static void main(final String[] arguments) {
            try {
                AuthKeyFile.create(Path.of(arguments[0]), new SplittableRandom(3));
            } catch (final FileSystemException e) {
                System.out.println(e.getReason());
                System.exit(REFUSED);
            }
        }
    }

    @Test
    void aRotatedFileHasTheNewKeyFirstTheOneBeforeSecondAndNoOlderOne() throws Exception {
        AuthKeyFile.create(file, random);
        Files.writeString(file, Files.readString(file) + "key.10.1.0.2 = " + DIGITS + "\n");
        final byte[] first = proof(keys().getFirst());
        AuthKeyFile.rotate(file, random);
        assertThat(keys()).hasSize(2);
        final byte[] second = proof(keys().getFirst());
        assertThat(proof(keys().getLast())).isEqualTo(first).isNotEqualTo(second);
        AuthKeyFile.rotate(file, random);
        assertThat(keys()).hasSize(2);
        assertThat(proof(keys().getLast())).isEqualTo(second);
        assertThat(proof(keys().getFirst())).isNotEqualTo(first);
        assertThat(AuthKeyFile.read(file).keysOf(ONE)).as("a peer's own key stays").hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all).as("nothing is left beside it").hasSize(1);
        }
    }

    @Test
    void aPeerMayHaveAKeyOfItsOwn() throws Exception {
        write("# comment\n\nkey = " + DIGITS + " # the one\n key.10.1.0.2=" + DIGITS.replace('0', 'F') + "\n");
        assertThat(proof(keys().getFirst()))
                .isNotEqualTo(proof(AuthKeyFile.read(file).keysOf(ONE).getFirst()));
        assertThat(AuthKeyFile.read(file).isEmpty()).isFalse();
    }

    /** As some editors begin a text. */
    @Test
    void aByteOrderMarkIsNoPartOfAKey() throws Exception {
        write("\uFEFFkey = " + DIGITS);
        assertThat(keys()).hasSize(1);
        AuthKeyFile.rotate(file, random);
        assertThat(keys()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rwx-----x"})
    void whatOthersMayReadOrWriteIsRefused(final String mode) throws Exception {
        write("key = " + DIGITS);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        assertRefused("other users may read or write it (" + mode + "); `chmod 600` it");
        assertThatThrownBy(() -> AuthKeyFile.rotate(file, random)).isInstanceOf(FileSystemException.class);
    }

    /** As where it is exchanged between a look at its name and the open. */
    @Test
    void whatWasOpenedIsJudgedWhateverHasItsNameNow() throws Exception {
        write("key = " + DIGITS);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        try (OpenedFile opened = OpenedFile.open(file)) {
            Files.move(file, directory.resolve("other"));
            write("key = " + DIGITS);
            assertThatThrownBy(() -> AuthKeyFile.lines(file, opened))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("other users may read or write it (rw-rw----)");
        }
        try (OpenedFile opened = OpenedFile.open(file)) {
            Files.delete(file);
            assertThat(AuthKeyFile.lines(file, opened)).containsExactly("key = " + DIGITS);
        }
    }

    @Test
    void aSymbolicLinkADirectoryAndNothingAreRefused() throws Exception {
        assertRefused("there is no such file");
        Files.createDirectory(file);
        assertRefused("it is no file");
        Files.delete(file);
        write("key = " + DIGITS);
        Files.move(file, directory.resolve("other"));
        Files.createSymbolicLink(file, directory.resolve("other"));
        assertRefused("it is a symbolic link");
    }

    @Test
    void whatIsNoKeyIsRefusedByItsLineAndNotShown() throws Exception {
        write("key = " + DIGITS + "0");
        assertRefused("line 1 has no key of 64 hexadecimal digits");
        write("key = " + DIGITS + "\nkey = " + DIGITS.substring(1) + "g");
        assertRefused("line 2 has no key");
        write("key = " + DIGITS + "\n" + DIGITS);
        assertRefused("line 2 is neither");
        write("key = " + DIGITS + "\nkey.localhost = " + DIGITS);
        assertRefused("line 2 names no IP address");
        write("key.10.1.0.2 = " + DIGITS);
        assertRefused("there is no line \"key = ...\"");
        write("");
        assertRefused("there is no line \"key = ...\"");
        write(("key = " + DIGITS + "\n").repeat(3));
        assertRefused("more than 2 keys");
        write("#".repeat(70_000));
        assertRefused("which no key file has");
    }
}
