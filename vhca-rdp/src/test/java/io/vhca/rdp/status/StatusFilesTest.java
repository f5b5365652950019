package io.vhca.rdp.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.ProcessUser;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.engine.PeerState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A driver's status is read as it was written; files that are none, or of nobody alive, are not taken for one. */
class StatusFilesTest {
    private static final String PROPERTY = "vhca.status.dir";
    private static final int OTHER_USER = 64_321;
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    private static final DriverStatus SAMPLE = sample(ProcessHandle.current().pid());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void name() {
        System.setProperty(PROPERTY, directory.toString());
    }

    @AfterEach
    void forget() {
        System.clearProperty(PROPERTY);
    }

    private static DriverStatus sample(final long pid) {
        return new DriverStatus(
                "bond0", pid, InetAddress.ofLiteral("10.0.0.1"), Map.of(Counter.TX_PACKETS, 7L),
                List.of(new NodeStatus(InetAddress.ofLiteral("fe80::1"), PeerState.UP, true, 3, SessionEnd.SILENT)),
                List.of(new SocketStatus(4000, 1, 2, 3, true, 4, 5)), List.of(new ClientStatus(77, 1_000, 3, 12_345)));
    }

    private StatusPublisher publisher(final DriverStatus status) {
        return new StatusPublisher(() -> status, 0);
    }

    /** Where every file can be read. */
    private static List<DriverStatus> read() throws IOException {
        return StatusFiles.read(Assertions::fail);
    }

    @Test
    void whatIsWrittenIsReadUntilItIsClosed() throws IOException {
        assertThat(read()).isEmpty();
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            assertThat(read()).containsExactly(SAMPLE);
        }
        assertThat(read()).isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    /** As in a container, whose users have numbers and no names: the JDK calls them "?". */
    @Test
    void aUserWithoutANameHasADirectory() throws IOException {
        System.clearProperty(PROPERTY);
        final String name = System.getProperty("user.name");
        System.setProperty("user.name", "?" + ProcessHandle.current().pid());
        try {
            assumeThat(System.getenv("VHCA_STATUS_DIR")).isNull();
            StatusFiles.prepare();
            Files.delete(StatusFiles.directory());
        } finally {
            System.setProperty("user.name", name);
        }
    }

    /** Two of them are told from each other by their numbers. */
    @Test
    void theDirectoryOfAUserWithoutANameHasItsNumber() throws IOException {
        assumeThat(System.getenv("VHCA_STATUS_DIR")).isNull();
        System.clearProperty(PROPERTY);
        final String name = System.getProperty("user.name");
        System.setProperty("user.name", "?");
        try {
            assertThat(StatusFiles.directory()).hasFileName("vhca-" + ProcessUser.number());
        } finally {
            System.setProperty("user.name", name);
        }
    }

    @Test
    void aDirectoryOfAnotherUserIsSaidToBeIts() throws IOException {
        assumeThat(System.getenv("VHCA_STATUS_DIR")).isNull();
        assumeThat(ProcessUser.number()).as("only root can give a directory to another user").isZero();
        System.clearProperty(PROPERTY);
        final String name = System.getProperty("user.name");
        System.setProperty("user.name", "?" + ProcessHandle.current().pid());
        try {
            StatusFiles.prepare();
            try {
                Files.setAttribute(StatusFiles.directory(), "unix:uid", OTHER_USER);
                assertThatThrownBy(StatusFiles::prepare)
                        .isInstanceOf(IOException.class)
                        .hasMessage(StatusFiles.directory() + " belongs to user " + OTHER_USER
                                + " and not to user 0, who runs this; have it deleted, or name another one by"
                                + " VHCA_STATUS_DIR");
                Files.setAttribute(StatusFiles.directory(), "unix:uid", 0);
                Files.setPosixFilePermissions(
                        StatusFiles.directory(), PosixFilePermissions.fromString("rwxrwx---"));
                assertThatThrownBy(StatusFiles::prepare)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("may be written by other users (mode 0770); look at what is in it and");
            } finally {
                Files.delete(StatusFiles.directory());
            }
        } finally {
            System.setProperty("user.name", name);
        }
    }

    /** As one that nobody named; what is in it is shown all the same. */
    @Test
    void toANamedDirectoryThatOthersMayWriteNothingIsWritten() throws IOException {
        final String text = SAMPLE.format();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(StatusFiles::prepare)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(directory + " may be written by other users (mode 0775)");
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            assertThat(directory).isEmptyDirectory();
        }
        Files.writeString(StatusFiles.file("bond0", SAMPLE.pid()), text);
        assertThat(read()).containsExactly(SAMPLE);
    }

    /** Whoever leads it to another directory later, in that one nothing is deleted. */
    @Test
    void aLinkAboveItIsFollowedOnce() throws IOException {
        final Path first = Files.createDirectories(
                directory.resolve("first/own"), PosixFilePermissions.asFileAttribute(OWN));
        final Path second = Files.createDirectories(
                directory.resolve("second/own"), PosixFilePermissions.asFileAttribute(OWN));
        final Path link = Files.createSymbolicLink(directory.resolve("link"), first.getParent());
        System.setProperty(PROPERTY, link.resolve("own").toString());
        try (StatusPublisher publisher = publisher(SAMPLE);
                ControlSocket _ = new ControlSocket("bond0", line -> line, 0)) {
            publisher.doWork(0);
            Files.delete(link);
            Files.createSymbolicLink(link, second.getParent());
            Files.createFile(StatusFiles.file("bond0", SAMPLE.pid()));
            final Path written = first.resolve(StatusFiles.name("bond0", SAMPLE.pid()));
            Files.writeString(written, "");
            publisher.doWork(2_000_000_000L);
            assertThat(written).isNotEmptyFile();
        }
        assertThat(first).isEmptyDirectory();
        assertThat(second).isNotEmptyDirectory();
    }

    /** Its own thread goes on while hooks of the application do. */
    @Test
    void aDriverWhoseProcessEndsWritesNothingMore() {
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            assertThat(StatusFiles.file("bond0", SAMPLE.pid())).exists();
            publisher.deleteAtEnd();
            publisher.doWork(2_000_000_000L);
            assertThat(StatusFiles.file("bond0", SAMPLE.pid())).doesNotExist();
        }
    }

    @Test
    void aDirectoryThatWasDeletedIsThereWithTheNextStatus() throws IOException {
        System.setProperty(PROPERTY, directory.resolve("own").toString());
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            Files.delete(StatusFiles.file("bond0", SAMPLE.pid()));
            Files.delete(StatusFiles.directory());
            publisher.doWork(2_000_000_000L);
            assertThat(StatusFiles.file("bond0", SAMPLE.pid())).exists();
        }
    }

    /** Who may rename in a directory above it puts another one in its place. */
    @Test
    void noneIsWrittenToThatOthersMayExchange() throws IOException {
        final Path below = Files.createDirectory(
                directory.resolve("below"), PosixFilePermissions.asFileAttribute(OWN));
        System.setProperty(PROPERTY, below.toString());
        StatusFiles.prepare();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(StatusFiles::prepare)
                .isInstanceOf(IOException.class)
                .hasMessage(below + ": " + directory + ", above it, may be written by other users (mode 0777); `chmod"
                        + " go-w` that, or name another one by VHCA_STATUS_DIR");
        Files.setPosixFilePermissions(directory, OWN);
        assumeThat(ProcessUser.number()).as("only root can give a directory to another user").isZero();
        Files.setAttribute(directory, "unix:uid", OTHER_USER);
        assertThatThrownBy(StatusFiles::prepare)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory + ", above it, belongs to user " + OTHER_USER);
    }

    /** Whatever may be written to it: that is not what is wrong. */
    @Test
    void aFileInThePlaceOfTheDirectoryIsSaidToBeOne() throws IOException {
        assumeThat(System.getenv("VHCA_STATUS_DIR")).isNull();
        System.clearProperty(PROPERTY);
        final String name = System.getProperty("user.name");
        System.setProperty("user.name", "?" + ProcessHandle.current().pid());
        try {
            final Path file = Files.createFile(StatusFiles.directory());
            try {
                assertThatThrownBy(StatusFiles::prepare)
                        .isInstanceOf(IOException.class)
                        .hasMessage(file + " is no directory; delete it, or name another one by VHCA_STATUS_DIR");
            } finally {
                Files.delete(file);
            }
        } finally {
            System.setProperty("user.name", name);
        }
    }

    @Test
    void isWrittenOnceASecond() throws IOException {
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            Files.delete(StatusFiles.file("bond0", SAMPLE.pid()));
            publisher.doWork(TimeUnit.SECONDS.toNanos(1) - 1);
            assertThat(read()).isEmpty();
            publisher.doWork(TimeUnit.SECONDS.toNanos(1));
            assertThat(read()).hasSize(1);
        }
    }

    @Test
    void aProcessThatIsGoneHasNoDriver() throws IOException {
        try (StatusPublisher publisher = publisher(sample(Integer.MAX_VALUE))) {
            publisher.doWork(0);
            assertThat(read()).isEmpty();
        }
    }

    /** The next process with that number is another one, with a driver or without. */
    @Test
    void aDriverOfAnEarlierProcessWithThatNumberIsNotShown() throws IOException {
        final Path file = StatusFiles.file("bond0", SAMPLE.pid());
        final String text = SAMPLE.format();
        assertThat(text).containsPattern("\nstarted \\d+\n");
        Files.writeString(file, text);
        assertThat(read()).containsExactly(SAMPLE);
        Files.writeString(file, text.replaceAll("\nstarted \\d+", "\nstarted 1"));
        assertThat(read()).isEmpty();
        Files.writeString(file, text.replaceAll("\nstarted \\d+", ""));
        assertThat(read()).containsExactly(SAMPLE);
    }

    @Test
    void whatAGoneProcessHasLeftOfADeviceGoesWithItsNextDriver() throws IOException {
        final long gone = Integer.MAX_VALUE;
        for (final String name : List.of("bond0." + gone + ".rdp", "bond0." + gone + ".rdp.new",
                "bond0." + gone + ".rdpctl")) {
            Files.setLastModifiedTime(Files.createFile(directory.resolve(name)), FileTime.fromMillis(0));
        }
        final List<Path> others = new ArrayList<>();
        for (final String name : List.of("bond0.1.rdpctl", "bond0.x." + gone + ".rdp", "bond1." + gone + ".rdp",
                "bond0." + gone + ".status", "bond0.rdpd")) {
            others.add(Files.createFile(directory.resolve(name)));
        }
        try (StatusPublisher publisher = publisher(SAMPLE); Stream<Path> all = list(publisher)) {
            others.add(StatusFiles.file("bond0", SAMPLE.pid()));
            assertThat(all).containsExactlyInAnyOrderElementsOf(others);
        }
    }

    /** It cannot be seen from here, but listens, and writes. */
    @Test
    void whatADriverInAnotherContainerHasThereStays() throws IOException {
        final long unseen = Integer.MAX_VALUE;
        final List<Path> expected = new ArrayList<>();
        expected.add(Files.createFile(directory.resolve("bond0." + unseen + ".rdp")));
        expected.add(directory.resolve("bond0." + unseen + ".rdpctl"));
        expected.add(StatusFiles.file("bond0", SAMPLE.pid()));
        try (ServerSocketChannel listens = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listens.bind(UnixDomainSocketAddress.of(expected.get(1)));
            try (StatusPublisher publisher = publisher(SAMPLE); Stream<Path> all = list(publisher)) {
                assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
            }
        }
    }

    private Stream<Path> list(final StatusPublisher publisher) throws IOException {
        publisher.doWork(0);
        return Files.list(directory);
    }

    /** As where the memory file system is full: what was begun takes room from all others. */
    @Test
    void aStatusThatCannotBeWrittenLeavesNoPartOfIt() throws IOException {
        final Path inTheWay = Files.createDirectory(StatusFiles.file("bond0", SAMPLE.pid()));
        try (StatusPublisher publisher = publisher(SAMPLE); Stream<Path> all = list(publisher)) {
            assertThat(all).containsExactly(inTheWay);
        }
    }

    @Test
    void whereNothingCanBeWrittenTheDriverGoesOn() throws IOException {
        final Path file = Files.createFile(directory.resolve("file"));
        System.setProperty(PROPERTY, file.resolve("below").toString());
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            assertThat(read()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "\n", "vhca-rdp 2\nend\n", "vhca-rdp 1\ndriver bond0 1 10.0.0.1\n", "vhca-rdp 1\nend\n",
        "vhca-rdp 1\ndriver bond0 1 10.0.0.1\ncounter NO_SUCH 1\nend\n",
        "vhca-rdp 1\ndriver bond0 1 10.0.0.1\nnode 10.0.0.2 UP\nend\n",
        "vhca-rdp 1\ndriver bond0 1 10.0.0.1\nsocket 1 x 3 4 true 6 7\nend\n",
        "vhca-rdp 1\ndriver bond0 one 10.0.0.1\nend\n", "vhca-rdp 1\ndriver bond\u001b[2J 1 10.0.0.1\nend\n"
    })
    void whatIsNoStatusIsNamed(final String text) throws IOException {
        final Path file = Files.writeString(
                directory.resolve("bond0." + ProcessHandle.current().pid() + ".rdp"), text);
        final List<String> problems = new ArrayList<>();
        assertThat(StatusFiles.read(problems::add)).isEmpty();
        assertThat(problems).singleElement().asString().startsWith(file + " is no driver's status: ");
    }

    /** What is in the file of somebody else, or of a process that died while it wrote, keeps nobody from the others. */
    @Test
    void filesThatCannotBeReadTakeNoOthersAway() throws IOException {
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            Files.writeString(directory.resolve("a." + Integer.MAX_VALUE + ".rdp"), "of a process that is gone");
            final Path odd = Files.write(directory.resolve("nobody.rdp"), new byte[] {-1, -1});
            final Path open = Files.createDirectory(directory.resolve("a." + SAMPLE.pid() + ".rdp"));
            final List<String> problems = new ArrayList<>();
            assertThat(StatusFiles.read(problems::add)).containsExactly(SAMPLE);
            assertThat(problems).satisfiesExactly(
                    problem -> assertThat(problem).startsWith(open + " cannot be read: "),
                    problem -> assertThat(problem).startsWith(odd + " cannot be read: "));
        }
    }

    /** In a named directory anybody may have put them there. */
    @Test
    void aLinkAndAFileWithoutEndTakeNoOthersAway() throws IOException {
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            final Path link = Files.createSymbolicLink(
                    directory.resolve("a.rdp"), StatusFiles.file("bond0", SAMPLE.pid()));
            final Path sparse = directory.resolve("b.rdp");
            try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
                file.setLength(3L << 30);
            }
            final List<String> problems = new ArrayList<>();
            assertThat(StatusFiles.read(problems::add)).containsExactly(SAMPLE);
            assertThat(problems).satisfiesExactly(
                    problem -> assertThat(problem).startsWith(link + " cannot be read: ").contains("symbolic link"),
                    problem -> assertThat(problem).isEqualTo(sparse + " cannot be read: it is longer than any"));
        }
    }

    /** Nobody writes to it: who opens it as a file waits for ever. */
    @Test
    void aPipeTakesNoOthersAway() throws Exception {
        try (StatusPublisher publisher = publisher(SAMPLE)) {
            publisher.doWork(0);
            final Path pipe = directory.resolve("a.rdp");
            assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
            final List<String> problems = new ArrayList<>();
            assertThat(StatusFiles.read(problems::add)).containsExactly(SAMPLE);
            assertThat(problems).containsExactly(pipe + " cannot be read: it is no file");
        }
    }

    @Test
    void linesOfALaterVersionAreLeftOut() {
        assertThat(DriverStatus.parse(SAMPLE.format().replace("node ", "weather fine\nnode "))).isEqualTo(SAMPLE);
    }
}
