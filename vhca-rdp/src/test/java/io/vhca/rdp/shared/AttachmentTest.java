package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.unix.MemoryFile;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who attaches to what is no driver keeps nothing of what it sends, and does not wait for ever for what is stopped. */
@Timeout(60)
class AttachmentTest {
    private static final String DEVICE = "soft9";
    private static final String MEMORY = "sent-by-a-stranger";
    private static final int TRIES = 10;
    /** More than an attach once waited for. */
    private static final int MANY_LOOKS = 60;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void set() {
        System.setProperty(AttachPath.PROPERTY, directory.toString());
    }

    @AfterEach
    void clear() {
        System.clearProperty(AttachPath.PROPERTY);
    }

    /** Descriptors of that memory that this process has. */
    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> target(file).contains(MEMORY)).count();
        }
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return ""; // closed since
        }
    }

    /** Answers who asks, and sends memory with it. */
    private static boolean answer(
            final ServerSocketChannel listener, final byte[] raw, final MemoryFile memory) {
        for (int i = 0; i < TRIES; i++) {
            answerOnce(listener, raw, memory);
        }
        return true;
    }

    @Test
    void memoryThatComesWithNoOfferIsGivenBack() throws Exception {
        final byte[] refused = AttachDescriptor.encode(new AttachDescriptor.Answer(
                AttachDescriptor.VERSION, Errno.EPERM, 0, 0, 1, InetAddress.ofLiteral("127.0.0.1"), "no"));
        final byte[] noDriver = new byte[AttachDescriptor.ANSWER_SIZE];
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                MemoryFile memory = MemoryFile.create(MEMORY, 4_096)) {
            listener.bind(UnixDomainSocketAddress.of(AttachPath.of(DEVICE)));
            final long before = descriptors();
            for (final byte[] raw : List.of(refused, noDriver)) {
                final FutureTask<Boolean> answering = new FutureTask<>(() -> answer(listener, raw, memory));
                Thread.ofPlatform().daemon().start(answering);
                for (int i = 0; i < TRIES; i++) {
                    assertThatThrownBy(() -> Attachment.to(DEVICE))
                            .isInstanceOf(VerbsException.class)
                            .hasMessageContaining(raw == refused ? "(EPERM): no" : "is no driver");
                }
                assertThat(answering.get()).isTrue();
                assertThat(descriptors()).isEqualTo(before);
            }
        }
    }

    /** It stood before a driver that does not answer; one that is there afterwards is not its business. */
    @Test
    void whatIsClosedAttachesToNothingAfterwards() throws Exception {
        try (SharedDrivers drivers = new SharedDrivers(directory);
                ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            final SharedServer server = drivers.serve(drivers.open(9));
            final SharedDriver client = SharedDriver.attach(DEVICE);
            server.close();
            listener.bind(UnixDomainSocketAddress.of(AttachPath.of(DEVICE)));
            try (SocketChannel asking = listener.accept()) {
                final ByteBuffer bytes = ByteBuffer.allocate(100);
                assertThat(asking.read(bytes)).isEqualTo(AttachDescriptor.REQUEST_SIZE);
                client.close();
                asking.configureBlocking(false);
                assertThat(asking.read(bytes)).as("it has left when it is closed").isEqualTo(-1);
            }
        }
    }

    /** As a driver whose process is stopped: whoever came has filled its queue. */
    @Test
    void whereTheQueueIsFullNobodyWaitsLongerThanHeWants() throws Exception {
        final List<SocketChannel> waiting = new ArrayList<>();
        final Path path = AttachPath.of(DEVICE);
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SharedDrivers drivers = new SharedDrivers(directory)) {
            listener.bind(UnixDomainSocketAddress.of(path), 1);
            waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
            waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
            final int[] asked = new int[1];
            assertThatThrownBy(() -> Attachment.to(DEVICE, () -> ++asked[0] == 3))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO))
                    .hasMessageContaining("what listens at " + path + " takes nobody: its queue is full");
            assertThat(asked[0]).isEqualTo(3);
            assertThatThrownBy(() -> SharedServer.open(drivers.open(9)))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
            assertThat(path).exists();
        } finally {
            for (final SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    /** Who waits for a place is served as soon as there is one. */
    @Test
    void aQueueThatGetsRoomIsWaitedFor() throws Exception {
        final Path path = AttachPath.of(DEVICE);
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path), 1);
            final List<SocketChannel> waiting = new ArrayList<>();
            waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
            waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
            final int[] asked = new int[1];
            assertThatThrownBy(() -> Attachment.to(DEVICE, () -> {
                        if (++asked[0] == 1) {
                            accept(listener);
                        }
                        return asked[0] == 2;
                    }))
                    .hasMessageContaining("what listens at " + path + " does not answer");
            for (final SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    /** As a driver that a host with other work gives little of a processor; the caller has no more of it. */
    @Test
    void aDriverThatIsSlowIsWaitedForAsLongAsForACall() throws Exception {
        final byte[] refused = AttachDescriptor.encode(new AttachDescriptor.Answer(
                AttachDescriptor.VERSION, Errno.EPERM, 0, 0, 1, InetAddress.ofLiteral("127.0.0.1"), "no"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                MemoryFile memory = MemoryFile.create(MEMORY, 4_096)) {
            listener.bind(UnixDomainSocketAddress.of(AttachPath.of(DEVICE)));
            final int[] looks = new int[1];
            assertThatThrownBy(() -> Attachment.byClock(DEVICE, () -> {
                        if (++looks[0] == MANY_LOOKS) {
                            answerOnce(listener, refused, memory);
                        }
                        return looks[0] * TimeUnit.SECONDS.toNanos(10);
                    }))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("(EPERM): no");
        }
    }

    @Test
    void aDriverThatDoesNotAnswerIsGivenUpAsForACall() throws Exception {
        final Path path = AttachPath.of(DEVICE);
        System.setProperty(AnswerTimeout.PROPERTY, "60");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            final int[] looks = new int[1];
            assertThatThrownBy(() ->
                            Attachment.byClock(DEVICE, () -> ++looks[0] * TimeUnit.MILLISECONDS.toNanos(20)))
                    .hasMessageContaining("what listens at " + path + " does not answer");
            assertThat(looks[0]).as("the first one begins").isEqualTo(4);
        } finally {
            System.clearProperty(AnswerTimeout.PROPERTY);
        }
    }

    @Test
    void whoIsInterruptedGivesUp() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(AttachPath.of(DEVICE)));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> Attachment.byClock(DEVICE, () -> 0)).hasMessageContaining("was interrupted");
        } finally {
            Thread.interrupted();
        }
    }

    /** As of a process that has no descriptor left, or no right: a driver that lives may listen there. */
    @Test
    void whereItCannotBeToldWhetherADriverListensNoneIsStarted() throws Exception {
        final Path path = AttachPath.of(DEVICE);
        Files.createSymbolicLink(path, path);
        try (SharedDrivers _ = new SharedDrivers(directory)) {
            for (final ThrowingCallable attach : List.<ThrowingCallable>of(
                    () -> Attachment.to(DEVICE), () -> SharedDriver.attachOrStart(DEVICE))) {
                assertThatThrownBy(attach)
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO))
                        .hasMessageContaining("whether a shared driver listens at " + path + " cannot be told: ");
            }
            assertThat(DriverProcess.log(DEVICE)).doesNotExist();
            Files.delete(path);
            assertThatThrownBy(() -> Attachment.to(DEVICE))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN))
                    .hasMessageContaining("no shared driver listens at " + path);
        }
    }

    /** Who looks for another driver says once why he does not find one, and goes on. */
    @Test
    void whoCannotTellWhetherThereIsAnotherDriverSaysSoOnce() throws Exception {
        final AtomicInteger said = new AtomicInteger();
        final CountDownLatch hasSaid = new CountDownLatch(1);
        final Handler ear = new Handler() {
            @Override
            public void publish(final LogRecord record) {
                if (record.getMessage().contains("cannot be told")) {
                    said.getAndIncrement();
                    hasSaid.countDown();
                }
            }

            @Override
            public void flush() {
                // Nothing is kept.
            }

            @Override
            public void close() {
                // Nothing is kept.
            }
        };
        final Logger log = Logger.getLogger(ClientThread.class.getName());
        log.addHandler(ear);
        try (SharedDrivers drivers = new SharedDrivers(directory)) {
            final RdpDriver driver = drivers.open(9);
            final SharedServer server = drivers.serve(driver);
            drivers.attach(driver);
            server.close();
            Files.createSymbolicLink(server.path(), server.path());
            hasSaid.await();
            Files.delete(server.path());
            drivers.serve(driver);
            while (driver.counters().get(Counter.CLIENTS) == 0) {
                assertThat(Thread.interrupted()).as("it takes too long").isFalse();
            }
        } finally {
            log.removeHandler(ear);
        }
        assertThat(said).hasValue(1);
    }

    private static void answerOnce(
            final ServerSocketChannel listener, final byte[] raw, final MemoryFile memory) {
        try (SocketChannel client = listener.accept()) {
            assertThat(client.read(ByteBuffer.allocate(100))).isEqualTo(AttachDescriptor.REQUEST_SIZE);
            UnixPeer.send(client, raw, memory);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void accept(final ServerSocketChannel listener) {
        try {
            listener.accept().close();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
