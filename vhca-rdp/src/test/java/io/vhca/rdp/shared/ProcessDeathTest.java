package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One end is a process that is killed: what the other one does then. */
@Timeout(120)
class ProcessDeathTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String DEVICE = "soft51";
    /** Of processes that are several clients each. */
    private static final int LIVES = 6;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
    }

    @AfterEach
    void close() {
        all.close();
    }

    @Test
    void aClientThatIsKilledLeavesNothing() throws Exception {
        final RdpDriver driver = all.open(51);
        all.serve(driver);
        final RdpSocket own = all.attach(driver).bind(4000);
        final ByteBuffer target = ByteBuffer.allocate(10);
        final Process child = SharedChild.start(directory.toString(), "client", DEVICE, "4000");
        try {
            assertThat(own.receive(target, LONG_NS)).isNotNull();
            assertThat(driver.status().clients()).extracting(client -> client.pid()).contains(child.pid());
            assertThat(driver.status().sockets()).hasSize(2);
        } finally {
            child.destroyForcibly().onExit().join();
        }
        while (driver.counters().get(Counter.CLIENTS) > 1 || driver.status().sockets().size() > 1) {
            Thread.onSpinWait();
        }
        assertThat(driver.counters().get(Counter.CLIENTS_LOST)).isEqualTo(1);
        assertThat(driver.status().clients()).extracting(client -> client.pid()).doesNotContain(child.pid());
        assertThat(own.send(target.clear(), own.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(own.receive(target.clear(), LONG_NS)).isEqualTo(own.localAddress());
        assertThat(driver.missingBuffers()).isZero();
    }

    /** What a driver's process has that a client could leave behind. */
    private record Held(
            long mappings, long descriptors, long threads, int sockets, int clients, long counted,
            int missingBuffers) {
        static Held by(final RdpDriver driver) throws IOException {
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"));
                    Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                return new Held(
                        maps.filter(line -> line.contains("memfd:vhca-rdp")).count(),
                        open.filter(Held::isSocketOrMemory).count(),
                        Thread.getAllStackTraces().keySet().stream()
                                .filter(thread -> thread.getName().startsWith("vhca"))
                                .count(),
                        driver.status().sockets().size(),
                        driver.status().clients().size(),
                        driver.counters().get(Counter.CLIENTS),
                        driver.missingBuffers());
            }
        }

        /** Less may be: what clients of other tests in this process had goes when it is collected. */
        boolean isNoMoreThan(final Held before) {
            return mappings <= before.mappings
                    && descriptors <= before.descriptors
                    && threads <= before.threads
                    && sockets <= before.sockets
                    && clients <= before.clients
                    && counted <= before.counted
                    && missingBuffers <= before.missingBuffers;
        }

        private static boolean isSocketOrMemory(final Path descriptor) {
            try {
                final String what = Files.readSymbolicLink(descriptor).toString();
                return what.startsWith("socket:") || what.contains("memfd:");
            } catch (final IOException e) {
                return false; // closed since it was listed
            }
        }
    }

    @Test
    void clientsThatComeAndAreKilledAgainAndAgainLeaveNothing() throws Exception {
        final RdpDriver driver = all.open(51);
        final RdpDriver node = all.open(52);
        all.serve(driver);
        final RdpSocket sink = node.bind(4000);
        final ByteBuffer target = ByteBuffer.allocate(10);
        try (RdpSocket own = driver.bind(0)) {
            // The connection stays.
            assertThat(own.send(target, sink.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(sink.receive(target.clear(), LONG_NS)).isNotNull();
        }
        final Held before = Held.by(driver);
        for (int life = 1; life <= LIVES; life++) {
            final Process child = SharedChild.start(
                    directory.toString(), "clients", DEVICE, "5000", node.address().getHostAddress(), "4000");
            child.destroyForcibly().onExit().join();
            for (int i = 0; i < SharedChild.CLIENTS * SharedChild.SOCKETS; i++) {
                assertThat(sink.receive(target.clear(), LONG_NS)).as("what life %d sent", life).isNotNull();
            }
            final int lost = life * SharedChild.CLIENTS;
            while (driver.counters().get(Counter.CLIENTS_LOST) < lost) {
                Thread.onSpinWait();
            }
            // It is counted first, and its things go after that.
            Held now = Held.by(driver);
            while (!now.isNoMoreThan(before)) {
                assertThat(Thread.interrupted()).as("after life %d: %s", life, now).isFalse();
                now = Held.by(driver);
            }
        }
        assertThat(driver.counters().get(Counter.CLIENTS)).isZero();
        assertThat(node.missingBuffers()).isZero();
    }

    @Test
    void aDriverThatIsKilledIsNamedAndTheNextOneTaken() throws Exception {
        final String address = Drivers.own(51).getHostAddress();
        final ByteBuffer target = ByteBuffer.allocate(10);
        final Process first = SharedChild.start(directory.toString(), "driver", DEVICE, address);
        Process second = null;
        try (SharedDriver client = SharedDriver.attach(DEVICE); RdpSocket socket = client.bind(4000)) {
            assertThat(client.address().getHostAddress()).isEqualTo(address);
            assertThat(socket.send(target, socket.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            first.destroyForcibly().onExit().join();
            assertThatThrownBy(() -> {
                        while (socket.pending() >= 0) {
                            Thread.onSpinWait();
                        }
                    })
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
            second = SharedChild.start(directory.toString(), "driver", DEVICE, address);
            SendResult result = SendResult.WOULD_BLOCK;
            while (result != SendResult.SENT) {
                result = sentOrNot(socket, target.clear());
            }
            assertThat(socket.receive(target.clear(), LONG_NS)).isEqualTo(socket.localAddress());
            assertThat(socket.localAddress().getPort()).isEqualTo(4000);
        } finally {
            first.destroyForcibly().onExit().join();
            if (second != null) {
                second.destroyForcibly().onExit().join();
            }
        }
    }

    private static void signal(final String name, final Process process) throws IOException, InterruptedException {
        final Process kill =
                new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).inheritIO().start();
        assertThat(kill.waitFor()).isZero();
    }

    /** A driver that has just been started may take seconds for its first answers, on a host that is busy. */
    private static void warm(final ByteBuffer target) {
        try (SharedDriver client = SharedDriver.attach(DEVICE); RdpSocket socket = client.bind(0)) {
            assertThat(socket.send(target.clear(), socket.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(socket.receive(target.clear(), LONG_NS)).isEqualTo(socket.localAddress());
            assertThat(socket.pending()).isZero();
        }
    }

    /** A socket of a driver that may be late again. */
    private static RdpSocket bound(final SharedDriver client) {
        while (true) {
            try {
                return client.bind(4000);
            } catch (final VerbsException e) {
                tryAgain(e);
            }
        }
    }

    @Test
    void aDriverThatHangsCountsAsEndedAndIsTakenAgainWhenItGoesOn() throws Exception {
        final ByteBuffer target = ByteBuffer.allocate(10);
        final Process process = SharedChild.start(
                directory.toString(), "driver", DEVICE, Drivers.own(51).getHostAddress());
        warm(target);
        System.setProperty(AnswerTimeout.PROPERTY, "3000");
        try (SharedDriver client = SharedDriver.attach(DEVICE); RdpSocket socket = bound(client)) {
            signal("STOP", process);
            assertThatThrownBy(() -> {
                        while (socket.pending() >= 0) {
                            Thread.onSpinWait();
                        }
                    })
                    .hasMessageContaining("(ENOTCONN)")
                    .hasMessageContaining("has not answered for 3000 ms, it is stopped or hangs");
            signal("CONT", process);
            InetSocketAddress from = null;
            while (from == null) {
                from = cameBackOrNot(socket, target);
            }
            assertThat(from).isEqualTo(socket.localAddress());
            assertThat(socket.localAddress().getPort()).as("the port that it had").isEqualTo(4000);
        } finally {
            System.clearProperty(AnswerTimeout.PROPERTY);
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void aDriverIsStartedWhereNoneIs() throws Exception {
        final String soft = System.getProperty(SoftConfig.PROPERTY);
        System.setProperty(SoftConfig.PROPERTY, DEVICE + "=" + Drivers.own(51).getHostAddress());
        ProcessHandle started = ProcessHandle.current();
        try (SharedDriver one = SharedDriver.attachOrStart(DEVICE);
                SharedDriver other = SharedDriver.attachOrStart(DEVICE)) {
            started = ProcessHandle.of(one.attachment().terms().pid()).orElseThrow();
            assertThat(started.pid()).isNotEqualTo(ProcessHandle.current().pid());
            assertThat(other.attachment().terms().pid()).isEqualTo(started.pid());
            final RdpSocket socket = one.bind(4000);
            assertThatThrownBy(() -> other.bind(4000)).hasMessageContaining("(EADDRINUSE)");
            started.destroy();
            started.onExit().join();
            assertThat(socket.awaitReadable(LONG_NS)).isTrue();
            assertThatThrownBy(socket::pending).hasMessageContaining("the shared driver has ended");
            assertThat(directory.resolve(DEVICE + ".rdpd")).as("it ended in order").doesNotExist();
            assertThat(Files.readString(directory.resolve(DEVICE + ".rdpd.log"))).contains("processes attach at");
        } finally {
            if (started.pid() != ProcessHandle.current().pid()) {
                started.destroyForcibly();
                started.onExit().join();
            }
            if (soft == null) {
                System.clearProperty(SoftConfig.PROPERTY);
            } else {
                System.setProperty(SoftConfig.PROPERTY, soft);
            }
        }
    }

    @Test
    void aDriverThatCannotBeStartedSaysWhere() {
        assertThatThrownBy(() -> SharedDriver.attachOrStart("nothing9"))
                .hasMessageContaining("(ENOTCONN)")
                .hasMessageContaining("was started and has ended; " + directory.resolve("nothing9.rdpd.log"));
        assertThat(directory.resolve("nothing9.rdpd.log")).content().contains("nothing9");
    }

    private static SendResult sentOrNot(final RdpSocket socket, final ByteBuffer datagram) {
        try {
            return socket.send(datagram, socket.localAddress(), LONG_NS);
        } catch (final VerbsException e) {
            tryAgain(e);
            return SendResult.WOULD_BLOCK;
        }
    }

    /** Who has sent a datagram to itself; null where the driver was late, or has lost it by that. */
    private static @Nullable InetSocketAddress cameBackOrNot(final RdpSocket socket, final ByteBuffer datagram) {
        if (sentOrNot(socket, datagram.clear()) != SendResult.SENT) {
            return null;
        }
        try {
            return socket.receive(datagram.clear(), LONG_NS);
        } catch (final VerbsException e) {
            tryAgain(e);
            return null;
        }
    }

    private static void tryAgain(final VerbsException e) {
        assertThat(e.errno()).as(e.getMessage()).isEqualTo(Errno.ENOTCONN);
        assertThat(Thread.interrupted()).as(e.getMessage()).isFalse();
    }
}
