package io.vhca.rdp.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.rdp.UnfitChannel;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks a driver and cannot be answered leaves nothing open, and waits no longer than he wants. */
class ControlSocketTest {
    private static final int TIMES = 50;
    private static final int QUEUE = 2;
    private static final long PID = ProcessHandle.current().pid();
    private static final String PROPERTY = "vhca.status.dir";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private ControlSocket control;

    @BeforeEach
    void open() {
        System.setProperty(PROPERTY, directory.toString());
        control = new ControlSocket("bond0", line -> line, 0);
    }

    @AfterEach
    void close() {
        control.close();
        System.clearProperty(PROPERTY);
    }

    @Test
    void whoCannotBeReadIsClosed() {
        final SocketChannel unfit = new UnfitChannel(true);
        control.admit(unfit, 0);
        assertThat(unfit.isOpen()).isTrue();
        control.doWork(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(unfit.isOpen()).isFalse();
    }

    @Test
    void whoWouldBlockIsClosed() {
        final SocketChannel unfit = new UnfitChannel(false);
        control.admit(unfit, 0);
        assertThat(unfit.isOpen()).isFalse();
    }

    /** As of a driver whose process is stopped: it takes who comes until the queue is full, and answers nobody. */
    @ParameterizedTest
    @ValueSource(ints = {0, QUEUE})
    @Timeout(60)
    void whoDoesNotAnswerIsWaitedForNoLongerThanSaid(final int waiting) throws IOException {
        final Path at = ControlSocket.file("x", PID);
        final List<SocketChannel> others = new ArrayList<>();
        try (ServerSocketChannel deaf = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            deaf.bind(UnixDomainSocketAddress.of(at), QUEUE - 1); // the kernel takes one more
            for (int i = 0; i < waiting; i++) {
                others.add(SocketChannel.open(UnixDomainSocketAddress.of(at)));
            }
            assertThatThrownBy(() -> ControlSocket.ask("x", PID, "Heartbeat=5", Duration.ofSeconds(1)))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageStartingWith("the driver at " + at + " does not answer within 1 s; ");
        } finally {
            for (final SocketChannel other : others) {
                other.close();
            }
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** As of a process in another container that has the same number. */
    @Test
    void aSocketThatIsAnothersByNowStays() throws IOException {
        final Path at = ControlSocket.file("bond0", PID);
        Files.delete(at);
        Files.createFile(at);
        control.close();
        assertThat(at).exists();
    }

    @Test
    void whoListensIsNotTakenOverAndWhoIsGoneIs() throws IOException {
        final Path at = ControlSocket.file("x", PID);
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(at));
            final Object key = StatusFiles.key(at);
            new ControlSocket("x", line -> line, 0).close();
            assertThat(StatusFiles.key(at)).isNotNull().isEqualTo(key);
        }
        assertThat(at).exists();
        try (ControlSocket _ = new ControlSocket("x", line -> line, 0)) {
            SocketChannel.open(UnixDomainSocketAddress.of(at)).close();
        }
        assertThat(at).doesNotExist();
    }

    /** The path of a socket has some hundred bytes. */
    @Test
    void nothingStaysOpenWhereItCannotListen() throws IOException {
        System.setProperty(PROPERTY, directory.resolve("d".repeat(120)).toString());
        final long before = descriptors();
        for (int i = 0; i < TIMES; i++) {
            new ControlSocket("bond0", line -> line, 0).close();
        }
        assertThat(descriptors()).isLessThan(before + TIMES);
    }
}
