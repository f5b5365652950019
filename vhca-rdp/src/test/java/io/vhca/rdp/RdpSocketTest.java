package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.access.Credentials;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.completion.DirectedReceipt;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.status.ControlSocket;
import io.vhca.rdp.status.NodeStatus;
import io.vhca.rdp.status.StatusFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sockets of two drivers over soft devices, with threads and real packets. */
@Timeout(60)
class RdpSocketTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Drivers drivers = new Drivers();
    private final RdpDriver left = drivers.open(1);
    private final RdpDriver right = drivers.open(2);

    @AfterEach
    void close() {
        drivers.close();
    }

    /** Until the time of the test is over nothing else ends these waits. */
    @Test
    void whoIsInterruptedWaitsNoLonger() {
        final RdpSocket socket = left.bind(0);
        try (RdpPoller poller = left.poller()) {
            poller.add(socket, RdpPoller.READABLE);
            Thread.currentThread().interrupt();
            assertThat(socket.receive(ByteBuffer.allocate(8), Long.MAX_VALUE / 2)).isNull();
            assertThat(socket.awaitReadable(Long.MAX_VALUE / 2)).isFalse();
            assertThat(poller.poll(Long.MAX_VALUE / 2)).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private static ByteBuffer numbered(final int number, final int lengthBytes) {
        final ByteBuffer datagram = ByteBuffer.allocate(lengthBytes);
        datagram.putInt(0, number);
        datagram.putInt(lengthBytes - Integer.BYTES, number);
        return datagram;
    }

    @Test
    void datagramsOfAllSizesArriveInOrder() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4000);
        final ByteBuffer target = ByteBuffer.allocateDirect(1 << 20);
        final int[] sizes = {8, 512, 513, 8_192, 8_193, 32_768, 32_769, 200_000, 64};
        Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i < 300; i++) {
                final SendResult result = from.send(numbered(i, sizes[i % sizes.length]), to.localAddress(), LONG_NS);
                if (result != SendResult.SENT) {
                    throw new AssertionError(i + " is " + result);
                }
            }
        });
        for (int i = 0; i < 300; i++) {
            target.clear();
            assertThat(to.receive(target, LONG_NS)).isEqualTo(from.localAddress());
            assertThat(target.position()).isEqualTo(sizes[i % sizes.length]);
            assertThat(target.getInt(0)).isEqualTo(i);
            assertThat(target.getInt(target.position() - Integer.BYTES)).isEqualTo(i);
        }
        assertThat(to.receive(target)).isNull();
        assertThat(right.status().nodes())
                .containsExactly(new NodeStatus(left.address(), PeerState.UP, false, 0, SessionEnd.NONE));
        assertThat(left.missingBuffers()).isZero();
        assertThat(right.missingBuffers()).isZero();
        assertThat(left.counters().get(Counter.QUEUE_PAIRS)).isEqualTo(left.config().lanes());
        left.close();
        assertThat(left.counters().get(Counter.QUEUE_PAIRS)).isZero();
    }

    @Test
    void bothEndsMayCallAtOnce() {
        final RdpSocket one = left.bind(1);
        final RdpSocket other = right.bind(2);
        final ByteBuffer target = ByteBuffer.allocate(100);
        final Thread answering = Thread.ofPlatform()
                .daemon()
                .start(() -> other.send(numbered(2, 10), one.localAddress(), LONG_NS));
        assertThat(one.send(numbered(1, 10), other.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(one.receive(target, LONG_NS)).isEqualTo(other.localAddress());
        target.clear();
        assertThat(other.receive(target, LONG_NS)).isEqualTo(one.localAddress());
        assertThat(answering).isNotNull();
        assertThat(left.counters().get(Counter.FOREIGN) + right.counters().get(Counter.FOREIGN)).isZero();
    }

    /** In time: while the node counts as unreachable, or the other one has its place still. */
    private static void awaitSent(final RdpSocket from, final RdpSocket to, final int number) {
        SendResult result = SendResult.WOULD_BLOCK;
        while (result != SendResult.SENT) {
            try {
                result = from.send(numbered(number, 10), to.localAddress(), LONG_NS);
            } catch (final VerbsException e) {
                assertThat(e).hasMessageContaining("MaxNodes");
            }
        }
    }

    /** A socket may be open for years. */
    @Test
    void aSocketSpeaksToMoreNodesThanThereMayBeOneAfterTheOther() {
        final RdpSocket from = drivers.open(3, RdpConfig.DEFAULT.with("MaxNodes=1")).bind(0);
        final Context[] nodes = {drivers.context(4), drivers.context(5)};
        final ByteBuffer target = ByteBuffer.allocate(100);
        for (int life = 0; life < 4; life++) {
            try (RdpDriver driver = RdpDriver.open(nodes[life % 2], RdpConfig.DEFAULT)) {
                final RdpSocket to = driver.bind(7);
                awaitSent(from, to, life);
                target.clear();
                assertThat(to.receive(target, LONG_NS)).isEqualTo(from.localAddress());
                assertThat(target.getInt(0)).isEqualTo(life);
            }
        }
    }

    @Test
    void nobodyThereIsUnreachable() {
        final RdpSocket from = left.bind(0);
        assertThat(from.send(numbered(1, 10), new InetSocketAddress(right.address(), 99), LONG_NS))
                .isEqualTo(SendResult.UNREACHABLE);
        assertThat(from.send(numbered(1, 10), new InetSocketAddress(Drivers.own(77), 99), LONG_NS))
                .isEqualTo(SendResult.UNREACHABLE);
    }

    /** What no wait makes go was refused for good: the socket takes others. */
    @Test
    void whatCannotArriveLeavesTheSocketWritable() {
        final RdpSocket one = left.bind(0);
        assertThat(one.send(numbered(1, 10), new InetSocketAddress(left.address(), 99)))
                .isEqualTo(SendResult.UNREACHABLE);
        assertThat(one.readyNow()).isEqualTo(RdpPoller.WRITABLE);
        assertThat(one.send(numbered(1, one.longestDatagram() + 1), one.localAddress()))
                .isEqualTo(SendResult.TOO_LONG);
        assertThat(one.readyNow()).isEqualTo(RdpPoller.WRITABLE);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(100);
            final RdpDirected directed = new RdpDirected(one);
            assertThat(directed.send(memory, one.localAddress(), 5, 1)).isEqualTo(SendResult.WOULD_BLOCK);
            assertThat(one.readyNow()).isZero();
            directed.receive(memory.asSlice(0, 50), one.localAddress(), 5);
            assertThat(one.readyNow()).isEqualTo(RdpPoller.WRITABLE);
            assertThat(directed.send(memory, one.localAddress(), 5, 1)).isEqualTo(SendResult.TOO_LONG);
            assertThat(one.readyNow()).isEqualTo(RdpPoller.WRITABLE);
            directed.withdraw(one.localAddress(), 5);
            left.forget(memory);
        }
    }

    /** Its address may be another's by then. */
    @Test
    void memoryThatIsGoneOrMayNotBeWrittenIsRefused() {
        final RdpSocket one = left.bind(0);
        final RdpDirected directed = new RdpDirected(one);
        final InetSocketAddress own = one.localAddress();
        final MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(64);
            final MemorySegment readOnly = arena.allocate(64).asReadOnly();
            assertFault(() -> directed.receive(readOnly, own, 1));
            assertThat(directed.send(readOnly, own, 1, 1)).isEqualTo(SendResult.WOULD_BLOCK);
        }
        assertFault(() -> one.sendInPlace(gone, own, 1));
        assertFault(() -> directed.receive(gone, own, 1));
        assertFault(() -> directed.send(gone, own, 1, 1));
    }

    private static void assertFault(final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT));
    }

    @Test
    void bytesThatTheBufferHasNotAreRefusedBeforeAnythingIsTaken() {
        final RdpSocket one = left.bind(0);
        final DirectBuffer buffer = new UnsafeBuffer(new byte[100]);
        for (final int offset : new int[] {-1, 95}) {
            assertThatThrownBy(() -> one.send(buffer, offset, 10, one.localAddress()))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> one.send(buffer, 0, -1, one.localAddress()))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(left.missingBuffers()).isZero();
        assertThat(one.pending()).isZero();
        assertThat(one.send(buffer, 90, 10, one.localAddress())).isEqualTo(SendResult.SENT);
    }

    @Test
    void whatDoesNotFitIsCutAndSaid() {
        final RdpSocket one = left.bind(0);
        assertThat(one.send(numbered(7, 5_000), one.localAddress())).isEqualTo(SendResult.SENT);
        final ByteBuffer small = ByteBuffer.allocate(10);
        assertThat(one.receive(small)).isEqualTo(one.localAddress());
        assertThat(one.lastLength()).isEqualTo(5_000);
        assertThat(small.getInt(0)).isEqualTo(7);
    }

    @Test
    void aDatagramIsReadWhereItArrived() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final BorrowedDatagram datagram = new BorrowedDatagram();
        assertThat(from.send(numbered(9, 3_000), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        try (RdpPoller poller = right.poller()) {
            poller.add(to, RdpPoller.READABLE);
            assertThat(poller.poll(LONG_NS)).containsExactly(to);
        }
        assertThat(to.borrow(datagram)).isTrue();
        assertThat(datagram.lengthBytes()).isEqualTo(3_000);
        assertThat(datagram.source()).isEqualTo(from.localAddress());
        assertThat(Integer.reverseBytes(NativeMemory.getInt(datagram.address(0)))).isEqualTo(9);
        to.release(datagram);
        assertThat(to.borrow(datagram)).isFalse();
        assertThat(right.missingBuffers()).isZero();
    }

    @Test
    void aDatagramIsSentFromWhereItIs() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final SendCompletion completion = new SendCompletion();
        try (Arena arena = Arena.ofShared(); RdpPoller poller = left.poller()) {
            final MemorySegment datagram = arena.allocate(100_000, 64);
            poller.add(from, RdpPoller.COMPLETED);
            assertThat(from.send(numbered(1, 10), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            for (int i = 0; i < 3; i++) {
                datagram.fill((byte) i);
                SendResult result = from.sendInPlace(datagram, to.localAddress(), 70 + i);
                while (result == SendResult.WOULD_BLOCK) {
                    left.doWork(System.nanoTime());
                    result = from.sendInPlace(datagram, to.localAddress(), 70 + i);
                }
                assertThat(result).isEqualTo(SendResult.SENT);
                assertThat(poller.poll(LONG_NS)).containsExactly(from);
                assertThat(from.poll(completion)).isTrue();
                assertThat(completion.token()).isEqualTo(70 + i);
                assertThat(completion.isLost()).isFalse();
            }
            assertThat(left.counters().get(Counter.TX_IN_PLACE)).isEqualTo(3);
            assertThat(left.counters().get(Counter.REGISTRATION_MISSES)).isEqualTo(1);
            left.forget(datagram);
            assertThat(left.counters().get(Counter.REGISTERED_MEMORY)).isZero();
        }
        final ByteBuffer target = ByteBuffer.allocate(100_000);
        assertThat(to.receive(target, LONG_NS)).isNotNull();
        for (int i = 0; i < 3; i++) {
            assertThat(to.receive(target.clear(), LONG_NS)).isEqualTo(from.localAddress());
            assertThat(target.position()).isEqualTo(100_000);
            assertThat(target.get(0)).isEqualTo((byte) i);
            assertThat(target.get(99_999)).isEqualTo((byte) i);
        }
        assertThatThrownBy(() -> from.sendInPlace(MemorySegment.ofArray(new byte[9]), to.localAddress(), 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("use memory of an Arena");
    }

    @Test
    void aDatagramIsWrittenWhereItsReceiverWantsIt() {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final RdpDirected writes = new RdpDirected(from);
        final RdpDirected named = new RdpDirected(to);
        final SendCompletion completion = new SendCompletion();
        try (Arena arena = Arena.ofShared(); RdpPoller poller = right.poller()) {
            final MemorySegment datagram = arena.allocate(5 << 20, 64);
            final MemorySegment target = arena.allocate(5 << 20, 64);
            datagram.fill((byte) 7);
            poller.add(to, RdpPoller.COMPLETED);
            named.receive(target, from.localAddress(), 12);
            SendResult result = writes.send(datagram, to.localAddress(), 12, 70);
            while (result == SendResult.WOULD_BLOCK) {
                left.doWork(System.nanoTime());
                result = writes.send(datagram, to.localAddress(), 12, 70);
            }
            assertThat(result).isEqualTo(SendResult.SENT);
            assertThat(poller.poll(LONG_NS)).containsExactly(to);
            assertThat(named.poll())
                    .isEqualTo(new DirectedReceipt(12, 5 << 20, from.localAddress(), false));
            assertThat(named.poll()).isNull();
            assertThat(target.mismatch(datagram)).isEqualTo(-1);
            while (!from.poll(completion)) {
                left.doWork(System.nanoTime());
            }
            assertThat(completion.token()).isEqualTo(70);
            assertThat(completion.isLost()).isFalse();

            named.receive(target, from.localAddress(), 13);
            assertThatThrownBy(() -> right.forget(target)).hasMessageContaining("EBUSY");
            assertThat(named.withdraw(from.localAddress(), 13)).isTrue();
            assertThat(poller.poll(LONG_NS)).containsExactly(to);
            assertThat(named.poll()).isEqualTo(new DirectedReceipt(13, 0, from.localAddress(), true));
            left.forget(datagram);
            right.forget(target);
        }
        assertThat(right.counters().get(Counter.RX_DIRECTED)).isEqualTo(1);
        final MemorySegment heap = MemorySegment.ofArray(new byte[9]);
        assertThatThrownBy(() -> named.receive(heap, from.localAddress(), 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("bytes of an Arena");
    }

    @Test
    void aPollerWatchesManySockets() {
        final RdpSocket from = left.bind(0);
        try (RdpPoller poller = right.poller()) {
            for (int i = 0; i < 50; i++) {
                poller.add(right.bind(100 + i), RdpPoller.READABLE);
            }
            assertThat(poller.poll(0)).isEmpty();
            assertThat(from.send(numbered(1, 10), new InetSocketAddress(right.address(), 130), LONG_NS))
                    .isEqualTo(SendResult.SENT);
            assertThat(poller.poll(LONG_NS)).hasSize(1);
            final RdpSocket ready = poller.poll(0).getFirst();
            assertThat(ready.localAddress().getPort()).isEqualTo(130);
            assertThat(poller.readyFor(ready)).isEqualTo(RdpPoller.READABLE);
            ready.receive(ByteBuffer.allocate(10));
            assertThat(poller.poll(0)).isEmpty();
            poller.add(ready, RdpPoller.WRITABLE);
            assertThat(poller.poll(LONG_NS)).containsExactly(ready);
            ready.close();
            assertThat(poller.poll(0)).isEmpty();
        }
    }

    @Test
    void optionsHaveTheirLimits() {
        final RdpSocket one = left.bind(0);
        one.sendBufferBytes(1_000);
        one.receiveBufferBytes(2_000);
        assertThat(one.sendBufferBytes()).isEqualTo(1_000);
        assertThat(one.receiveBufferBytes()).isEqualTo(2_000);
        assertThat(one.send(numbered(1, 1_000), one.localAddress())).isEqualTo(SendResult.TOO_LONG);
        assertThatThrownBy(() -> one.sendBufferBytes(0))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("SO_SNDBUF = 0: it may be 1 or more");
    }

    @Test
    void badDestinationsAndClosedSocketsAreNamed() {
        final RdpSocket one = left.bind(9);
        assertThatThrownBy(() -> one.send(numbered(1, 10), new InetSocketAddress(right.address(), 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("a port from 1 on");
        assertThatThrownBy(() -> one.send(
                        numbered(1, 10), new InetSocketAddress(InetAddress.ofLiteral("224.0.0.5"), 5)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("224.0.0.5");
        one.close();
        one.close();
        assertThatThrownBy(() -> one.receive(ByteBuffer.allocate(1)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("it is closed");
        left.bind(9).close();
    }

    private static String ask(final String line) throws IOException {
        return ControlSocket.ask("soft1", ProcessHandle.current().pid(), line, Duration.ofMinutes(1));
    }

    /** The same until it is answered: a driver hangs up on who has said nothing for a second, as this thread may. */
    private static String answer(final String line) {
        String answer = null;
        while (answer == null) {
            try {
                answer = ask(line);
            } catch (final IOException e) {
                assertThat(Thread.interrupted()).as(e.toString()).isFalse();
            }
        }
        return answer;
    }

    @Test
    void anOpenDriverIsToldToChange() throws IOException {
        final long pid = ProcessHandle.current().pid();
        assertThat(answer("UserBufferSize=5000")).isEqualTo("changed UserBufferSize=5000");
        assertThat(left.bind(0).sendBufferBytes()).isEqualTo(5_000);
        assertThat(right.bind(0).sendBufferBytes()).isEqualTo(RdpConfig.DEFAULT.userBufferSize());
        assertThat(answer("Port=7"))
                .isEqualTo("refused option Port does not change while a driver is open: the driver listens there");
        assertThat(answer("Hello")).isEqualTo("refused Hello is not NAME=VALUE");
        assertThat(Files.getPosixFilePermissions(StatusFiles.directory().resolve("soft1." + pid + ".rdpctl")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        // Who says nothing, or too much, keeps nobody else waiting.
        assertThatThrownBy(() -> ask("x".repeat(5_000))).isInstanceOf(IOException.class);
        assertThat(answer("Heartbeat=900")).startsWith("changed");
        left.close();
        assertThatThrownBy(() -> ask("Heartbeat=900")).isInstanceOf(IOException.class);
    }

    @Test
    void whoMayHaveNoSocketIsToldAndCounted() throws IOException {
        final Path file = Files.createTempFile("rdp", ".access");
        try (RdpDriver judged = RdpDriver.open(drivers.context(4), RdpConfig.DEFAULT, new AccessControl(file))) {
            assertThatThrownBy(() -> judged.bind(0)).isInstanceOf(VerbsException.class).hasMessageContaining("EPERM");
            assertThat(judged.counters().get(Counter.ACCESS_REFUSED)).isEqualTo(1);
            Files.writeString(file, "user " + Credentials.ofThisProcess().user());
            judged.bind(0).close();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aDriverOfTheSameAddressIsRefused() {
        final Context context = drivers.context(3);
        try (RdpDriver first = RdpDriver.open(context)) {
            assertThat(first.address()).isEqualTo(Drivers.own(3));
            assertThatThrownBy(() -> RdpDriver.open(context))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EADDRINUSE");
        }
        // What the second one had is given back, and so is what the first had.
        RdpDriver.open(context).close();
    }
}
