package io.vhca.ras.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.bond.config.ServiceMode.StatusMode;
import io.vhca.ras.file.PrivateDirectory;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of every kind at a control socket whose commands are made up; none keeps another from being served. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ControlSocketTest {
    private static final Duration FOREVER = Duration.ofHours(1);
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private Path statusFile() {
        return directory.resolve("bond0.1" + StatusDirectory.FILE_SUFFIX);
    }

    private Path socket() {
        return directory.resolve("bond0.1" + StatusDirectory.SOCKET_SUFFIX);
    }

    private ControlSocket serve(final Duration patience, final UnaryOperator<String> commands) throws IOException {
        return new ControlSocket(
                commands,
                PrivateDirectory.open(directory),
                Path.of(StatusDirectory.name(socket())),
                StatusAccess.of(StatusMode.OWNER).socket(),
                patience);
    }

    /** With another umask a bound socket lets in who may search its directory, and bound it listens. */
    @Test
    void nobodyFindsTheSocketBeforeItHasItsMode() throws IOException {
        final List<String> found = new ArrayList<>();
        final Set<PosixFilePermission> looks = new AbstractSet<>() {
            @Override
            public Iterator<PosixFilePermission> iterator() {
                try (SocketChannel _ = connect()) {
                    found.add("let in");
                } catch (final IOException e) {
                    found.add("not there");
                }
                return StatusAccess.of(StatusMode.OWNER).socket().iterator();
            }

            @Override
            public int size() {
                return StatusAccess.of(StatusMode.OWNER).socket().size();
            }
        };
        try (PrivateDirectory opened = PrivateDirectory.open(directory);
                ControlSocket _ = new ControlSocket(
                        line -> ControlCommands.OK, opened, Path.of(StatusDirectory.name(socket())), looks, FOREVER)) {
            assertThat(found).isNotEmpty().containsOnly("not there");
            assertThat(tell("drain soft0")).isEmpty();
        }
    }

    /** As of a process in another container that has the same number. */
    @Test
    void aSocketThatIsAnothersByNowStays() throws IOException {
        final ControlSocket control = serve(FOREVER, line -> ControlCommands.OK);
        Files.delete(socket());
        Files.createFile(socket());
        control.close();
        assertThat(socket()).exists();
        serve(FOREVER, line -> ControlCommands.OK).close();
        assertThat(socket()).doesNotExist();
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket()));
    }

    private String tell(final String command) throws IOException {
        return ControlClient.tell(statusFile(), command, FOREVER);
    }

    @Test
    void aSilentClientKeepsNobodyWaiting() throws IOException {
        try (ControlSocket _ = serve(FOREVER, line -> "error: heard " + line);
                SocketChannel silent = connect()) {
            assertThat(tell("drain soft0")).isEqualTo("heard drain soft0");
            assertThat(silent.isOpen()).isTrue();
        }
    }

    @Test
    void aClientThatIsSilentForTooLongIsClosed() throws IOException {
        try (ControlSocket _ = serve(AT_ONCE, line -> ControlCommands.OK);
                SocketChannel silent = connect()) {
            assertThat(silent.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void anEndlessLineIsRefusedAndNotKept() throws IOException {
        try (ControlSocket _ = serve(FOREVER, line -> ControlCommands.OK);
                SocketChannel client = connect()) {
            client.write(ByteBuffer.wrap(new byte[ControlLine.MAX_COMMAND_BYTES + 1]));
            assertThat(ControlLine.read(client, ControlLine.MAX_ANSWER_BYTES))
                    .isEqualTo("error: no command: a line may have " + ControlLine.MAX_COMMAND_BYTES + " bytes");
            assertThat(tell("x".repeat(ControlLine.MAX_COMMAND_BYTES))).isEmpty();
            assertThat(tell("x".repeat(ControlLine.MAX_COMMAND_BYTES + 1))).contains("a command may have");
        }
    }

    @Test
    void aClientThatLeavesWithoutALineIsTold() throws IOException {
        try (ControlSocket _ = serve(FOREVER, line -> ControlCommands.OK);
                SocketChannel client = connect()) {
            client.shutdownOutput();
            assertThat(ControlLine.read(client, ControlLine.MAX_ANSWER_BYTES)).isEqualTo("error: no command");
        }
    }

    @Test
    void whateverACommandEndsInIsToldToItsClientAlone() throws IOException {
        final List<Throwable> ends = List.of(
                new OutOfMemoryError("Java heap space"),
                new AssertionError("the lock is not held"),
                new IllegalStateException("of two\nlines"));
        final UnaryOperator<String> commands = line -> {
            final Throwable end = ends.get(Integer.parseInt(line));
            if (end instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) end;
        };
        try (ControlSocket _ = serve(FOREVER, commands)) {
            assertThat(tell("0")).isEqualTo("the bond failed at it: java.lang.OutOfMemoryError: Java heap space");
            assertThat(tell("1")).isEqualTo("the bond failed at it: java.lang.AssertionError: the lock is not held");
            assertThat(tell("2")).endsWith("IllegalStateException: of two lines");
        }
    }

    @Test
    void ofTooManySilentClientsTheOldestGoes() throws IOException {
        final List<SocketChannel> silent = new ArrayList<>();
        try (ControlSocket _ = serve(FOREVER, line -> ControlCommands.OK)) {
            for (int i = 0; i < ControlSocket.MAX_CLIENTS; i++) {
                silent.add(connect());
            }
            assertThat(tell("drain soft0")).isEmpty();
            assertThat(silent.getFirst().read(ByteBuffer.allocate(1))).isEqualTo(-1);
            final SocketChannel young = silent.getLast();
            young.write(StandardCharsets.UTF_8.encode("resume soft0\n"));
            assertThat(ControlLine.read(young, ControlLine.MAX_ANSWER_BYTES)).isEqualTo(ControlCommands.OK);
        } finally {
            for (final SocketChannel channel : silent) {
                channel.close();
            }
        }
    }

    @Test
    void oneMoreThanAreCarriedOutIsRefused() throws IOException, InterruptedException {
        final CountDownLatch busy = new CountDownLatch(ControlSocket.MAX_CLIENTS);
        final CountDownLatch end = new CountDownLatch(1);
        final UnaryOperator<String> commands = line -> {
            busy.countDown();
            try {
                end.await();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return ControlCommands.OK;
        };
        final List<SocketChannel> clients = new ArrayList<>();
        try (ControlSocket _ = serve(FOREVER, commands)) {
            for (int i = 0; i < ControlSocket.MAX_CLIENTS; i++) {
                final SocketChannel client = connect();
                clients.add(client);
                client.write(StandardCharsets.UTF_8.encode("add soft" + i + "\n"));
            }
            busy.await();
            assertThat(tell("drain soft0")).isEqualTo("16 commands are being carried out; try again");
            end.countDown();
            for (final SocketChannel client : clients) {
                assertThat(ControlLine.read(client, ControlLine.MAX_ANSWER_BYTES)).isEqualTo(ControlCommands.OK);
                client.close();
            }
        }
    }

    @Test
    void aProcessWithoutDescriptorsSaysSoOnce() throws IOException {
        try (ControlSocket control = serve(FOREVER, line -> ControlCommands.OK);
                OutOfDescriptors none = new OutOfDescriptors(20)) {
            control.serve(none);
            assertThat(none.isOpen()).isFalse();
            assertThat(none.logged()).singleElement().satisfies(line -> assertThat(line.getMessage())
                    .startsWith(socket() + ": nobody can give orders for now (Too many open files)"));
        }
    }

    @Test
    void aBondThatDoesNotAnswerIsWaitedForSoLongAndNoLonger() throws IOException {
        try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stopped.bind(UnixDomainSocketAddress.of(socket()));
            assertThatThrownBy(() -> ControlClient.tell(statusFile(), "drain soft0", AT_ONCE))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContainingAll("no answer within", "may be stopped or busy", "`vhca status` shows");
        }
    }
}
