package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that are none, or break the rules: each ends alone, with one clear error, counted; others feel nothing. */
@Timeout(60)
class BadClientTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;
    private RdpDriver driver;
    private SharedServer server;
    private RdpSocket good;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
        driver = all.open(41);
        server = all.serve(driver);
        good = all.attach(driver).bind(4000);
    }

    @AfterEach
    void close() {
        try {
            assertThat(good.send(ByteBuffer.allocate(10), good.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(good.receive(ByteBuffer.allocate(10), LONG_NS)).isEqualTo(good.localAddress());
            // Only it stays. A client that was ended may have come back before it was closed.
            while (driver.counters().get(Counter.CLIENTS) != 1
                    || driver.status().clients().size() != 1
                    || driver.status().sockets().size() != 1) {
                Thread.onSpinWait();
            }
            assertThat(driver.missingBuffers()).isZero();
        } finally {
            all.close();
        }
    }

    private void awaitCount(final Counter counter, final long count) {
        while (driver.counters().get(counter) < count) {
            Thread.onSpinWait();
        }
        assertThat(driver.counters().get(counter)).isEqualTo(count);
    }

    // Attaches.

    private AttachDescriptor.Answer ask(final byte[] request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(server.path()))) {
            channel.write(ByteBuffer.wrap(request));
            final ByteBuffer answer = ByteBuffer.allocate(AttachDescriptor.ANSWER_SIZE);
            while (answer.hasRemaining() && channel.read(answer) >= 0) {
                Thread.onSpinWait();
            }
            assertThat(channel.read(ByteBuffer.allocate(1))).as("it is closed").isEqualTo(-1);
            return AttachDescriptor.decode(answer.array());
        }
    }

    @Test
    void aForgedAttachIsRefusedAndCounted() throws IOException {
        final AttachDescriptor.Answer answer =
                ask("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(answer.errno()).isEqualTo(Errno.EPROTO);
        assertThat(answer.text()).isEqualTo("what was asked is no attach of a client of datagram sockets");
        awaitCount(Counter.ATTACHES_REFUSED, 1);
    }

    @Test
    void anotherVersionIsRefusedWithBothAndCounted() throws IOException {
        final AttachDescriptor.Answer answer = ask(AttachDescriptor.request(7));
        assertThat(answer.errno()).isEqualTo(Errno.EPROTONOSUPPORT);
        assertThat(answer.text()).contains("speaks version 4, the client version 7").contains("the same release");
        awaitCount(Counter.ATTACHES_REFUSED, 1);
    }

    @Test
    void whoDoesNotTakeTheAnswerIsCountedOnce() throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(server.path()))) {
            channel.shutdownInput();
            channel.write(ByteBuffer.wrap(AttachDescriptor.request(7)));
            awaitCount(Counter.ATTACHES_REFUSED, 1);
        }
        // The same thread has served who comes after it.
        all.attach(driver).close();
        awaitCount(Counter.ATTACHES_REFUSED, 1);
    }

    @Test
    void whatIsNoDriverIsNamed() {
        final InetAddress address = driver.address();
        assertThatThrownBy(() -> AttachDescriptor.decode(new byte[AttachDescriptor.ANSWER_SIZE]))
                .hasMessage("what listens there is no driver of datagram sockets");
        assertThatThrownBy(() -> AttachDescriptor.decode(AttachDescriptor.encode(
                        new AttachDescriptor.Answer(1, 0, 77_777, 10, 1, address, ""))))
                .hasMessageContaining("rings of 77777 bytes");
        assertThatThrownBy(() -> AttachDescriptor.decode(AttachDescriptor.encode(
                        new AttachDescriptor.Answer(1, 0, 1 << 16, 1 << 16, 1, address, ""))))
                .hasMessageContaining("for datagrams of 65536");
    }

    // Rings.

    /** A call that is right, for the socket that the client has. */
    private static void call(final OneToOneRingBuffer ring, final Consumer<MutableDirectBuffer> change) {
        final int index = ring.tryClaim(CallDescriptor.KIND, CallDescriptor.SIZE);
        final UnsafeBuffer call =
                new UnsafeBuffer(ring.buffer(), index, CallDescriptor.SIZE);
        call.putLong(CallDescriptor.NUMBER_OFFSET, 2);
        call.putInt(CallDescriptor.VERB_OFFSET, CallVerb.SEND.ordinal());
        call.putInt(CallDescriptor.SOCKET_OFFSET, 0);
        call.putInt(CallDescriptor.PORT_OFFSET, 4000);
        call.putInt(CallDescriptor.ADDRESS_BYTES_OFFSET, 4);
        change.accept(call);
        ring.commit(index);
    }

    private static int tail(final OneToOneRingBuffer ring) {
        return (int) ring.producerPosition();
    }

    private static Arguments ring(final String what, final Consumer<OneToOneRingBuffer> corruption) {
        return Arguments.of(what, corruption);
    }

    private static Arguments callOf(final String what, final Consumer<MutableDirectBuffer> change) {
        return ring(what, ring -> call(ring, change));
    }

    static Stream<Arguments> corruptions() {
        return Stream.of(
                ring("a record longer than any message", ring ->
                        ring.buffer().putInt(tail(ring), Integer.MAX_VALUE)),
                ring("a record shorter than its head", ring -> ring.buffer().putInt(tail(ring), 3)),
                ring("padding longer than the ring", ring -> {
                    ring.buffer().putInt(tail(ring) + Integer.BYTES, -1);
                    ring.buffer().putInt(tail(ring), ring.capacity() + 8);
                }),
                ring("padding twice", ring -> {
                    for (int i = 1; i >= 0; i--) {
                        ring.buffer().putInt(tail(ring) + 8 * i + Integer.BYTES, -1);
                        ring.buffer().putInt(tail(ring) + 8 * i, 8);
                    }
                }),
                ring("a message too short for a call", ring ->
                        ring.write(CallDescriptor.KIND, ring.buffer(), 0, CallDescriptor.SIZE - 1)),
                ring("a message of another kind", ring -> ring.write(9, ring.buffer(), 0, CallDescriptor.SIZE)),
                callOf("a call out of turn", call -> call.putLong(CallDescriptor.NUMBER_OFFSET, 77)),
                callOf("no verb", call -> call.putInt(CallDescriptor.VERB_OFFSET, 99)),
                callOf("a negative verb", call -> call.putInt(CallDescriptor.VERB_OFFSET, -1)),
                callOf("a socket it has not", call -> call.putInt(CallDescriptor.SOCKET_OFFSET, 1)),
                callOf("a socket there cannot be", call -> call.putInt(CallDescriptor.SOCKET_OFFSET, 1 << 20)),
                callOf("a negative socket", call -> call.putInt(CallDescriptor.SOCKET_OFFSET, -1)),
                callOf("an address of 5 bytes", call -> call.putInt(CallDescriptor.ADDRESS_BYTES_OFFSET, 5)),
                callOf("a port there cannot be", call -> call.putInt(CallDescriptor.PORT_OFFSET, 1 << 16)),
                ring("no room for answers", ring -> {
                    // The answers' ring follows; its reader says that it has read nothing, its writer that it is full.
                    final int trailer = ring.capacity() + RingBufferDescriptor.TRAILER_LENGTH + ring.capacity();
                    final UnsafeBuffer both = new UnsafeBuffer(
                            ring.buffer().addressOffset(), trailer + RingBufferDescriptor.TRAILER_LENGTH);
                    both.putLong(trailer + RingBufferDescriptor.TAIL_POSITION_OFFSET, Long.MAX_VALUE / 2);
                    call(ring, call -> {});
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("corruptions")
    void aCorruptedRingEndsItsClientAlone(final String what, final Consumer<OneToOneRingBuffer> corruption) {
        final SharedDriver bad = all.attach(driver);
        final RdpSocket socket = bad.bind(0);
        final Attachment attachment = bad.attachment();
        corruption.accept(attachment.region().callWriter());
        attachment.wakeDriver();
        awaitCount(Counter.CLIENTS_CORRUPT, 1);
        assertThat(socket.awaitReadable(LONG_NS)).as(what).isTrue();
        assertThatThrownBy(socket::pending)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
        assertThat(driver.counters().get(Counter.CLIENTS_LOST)).isZero();
        bad.close();
    }

    @Test
    void aClientLeavesADriverWhoseAnswersAreNone() {
        final SharedDriver client = all.attach(driver);
        final RdpSocket socket = client.bind(0);
        final OneToOneRingBuffer forged = client.attachment().region().answerWriter();
        forged.write(AnswerDescriptor.DONE, forged.buffer(), 0, AnswerDescriptor.SIZE);
        assertThatThrownBy(socket::pending)
                .hasMessageContaining("(ENOTCONN)")
                .hasMessageContaining("it was left, because what it answers is no answer to call 2");
        awaitCount(Counter.CLIENTS_LOST, 1);
        client.close();
    }

    /** What stands in the slot of a client's first socket. */
    private static void slot(final SharedDriver client, final int state) {
        final long rings = client.attachment().region().callWriter().buffer().addressOffset();
        new UnsafeBuffer(rings - RegionDescriptor.CALLS_OFFSET, RegionDescriptor.CALLS_OFFSET)
                .putIntRelease(RegionDescriptor.SLOTS_OFFSET + RegionDescriptor.SLOT_STATE_OFFSET, state);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, RegionDescriptor.SLOT_MOST_BYTES + 2, Integer.MAX_VALUE})
    void aClientLeavesADriverThatLeavesItWhatIsNoDatagram(final int state) {
        final SharedDriver client = all.attach(driver);
        final RdpSocket socket = client.bind(0);
        slot(client, state);
        assertThat(socket.awaitReadable(LONG_NS)).isTrue();
        assertThatThrownBy(() -> socket.receive(ByteBuffer.allocate(10)))
                .hasMessageContaining("(ENOTCONN)")
                .hasMessageContaining("because a datagram of " + (state - 1) + " bytes is left for socket 0");
        awaitCount(Counter.CLIENTS_LOST, 1);
        client.close();
    }

    @Test
    void aClientThatSaysWrongThingsOfWhatIsLeftForItMissesItsOwnDatagramsAlone() {
        final SharedDriver bad = all.attach(driver);
        final RdpSocket socket = bad.bind(0);
        slot(bad, Integer.MAX_VALUE);
        assertThat(good.send(ByteBuffer.allocate(10), socket.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        while (socket.pending() < 2) {
            Thread.onSpinWait();
        }
        slot(bad, RegionDescriptor.SLOT_EMPTY);
        assertThat(socket.receive(ByteBuffer.allocate(10), LONG_NS)).isEqualTo(good.localAddress());
        bad.close();
    }

    @Test
    void whoIsNotInTheListAttachesNotAndGetsNoSocket() throws IOException {
        final Path file = Files.writeString(directory.resolve("access"), "group 54321\nuser\n");
        try (Context context = all.drivers().context(42);
                RdpDriver guarded = RdpDriver.open(context, RdpConfig.DEFAULT, new AccessControl(file));
                SharedServer guarding = SharedServer.open(guarded)) {
            assertNotPermitted(() -> SharedDriver.attach(guarded.name()));
            assertThat(guarded.counters().get(Counter.ACCESS_REFUSED)).isEqualTo(1);
            assertThat(guarded.counters().get(Counter.CLIENTS_ATTACHED)).as("it takes nobody's place").isZero();
            Files.writeString(file, "user " + Files.getAttribute(Path.of("/proc/self"), "unix:uid") + "\n");
            try (SharedDriver client = SharedDriver.attach(guarded.name())) {
                assertThat(client.bind(0).pending()).isZero();
                Files.writeString(file, "group 54321\nuser\n");
                assertNotPermitted(() -> client.bind(0));
                assertThat(guarded.counters().get(Counter.ACCESS_REFUSED)).isEqualTo(2);
                assertThat(guarding.path()).exists();
            }
        }
    }

    /** It had waited for ever: no driver would ever take it. */
    @Test
    void whoMayHaveNoSocketAnyMoreHearsItOfTheNextDriver() throws IOException {
        final String own = "user " + Files.getAttribute(Path.of("/proc/self"), "unix:uid") + "\n";
        final Path file = Files.writeString(directory.resolve("access"), own);
        try (Context context = all.drivers().context(42);
                RdpDriver guarded = RdpDriver.open(context, RdpConfig.DEFAULT, new AccessControl(file))) {
            final SharedServer first = SharedServer.open(guarded);
            try (SharedDriver client = SharedDriver.attach(guarded.name())) {
                final RdpSocket socket = client.bind(0);
                final ByteBuffer target = ByteBuffer.allocateDirect(10);
                Files.writeString(file, "group 54321\nuser\n");
                first.close();
                try (SharedServer next = SharedServer.open(guarded)) {
                    assertThatThrownBy(() -> socket.receive(target, LONG_NS)).hasMessageContaining("has ended");
                    assertNotPermitted(() -> socket.receive(target, LONG_NS));
                    assertThat(next.path()).exists();
                    Files.writeString(file, own);
                    while (guarded.status().sockets().isEmpty()) {
                        assertThat(Thread.interrupted()).as("it takes too long").isFalse();
                    }
                    assertThat(socket.pending()).isZero();
                }
            }
        }
    }

    private static void assertNotPermitted(final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM))
                .hasMessageContaining("names neither that user")
                .hasMessageContaining("line 2");
    }

    /** As many as there is room for, and more each second: each that comes too many ends the one before. */
    @Test
    void thoseWhoConnectAndSayNothingKeepNobodyOut() throws IOException {
        final List<SocketChannel> silent = new ArrayList<>();
        try {
            for (int i = 0; i < ServerTurns.MOST_VISITORS; i++) {
                silent.add(SocketChannel.open(UnixDomainSocketAddress.of(server.path())));
            }
            final SharedDriver client = all.attach(driver);
            assertThat(client.bind(0).pending()).isZero();
            client.close();
        } finally {
            for (final SocketChannel channel : silent) {
                channel.close();
            }
        }
    }

    /** A process that has little of a processor, or is stopped, may ask long after it has connected. */
    @Test
    void whoConnectsHasAMinuteToAsk() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            final AttachDesk.Visitor visitor = new AttachDesk.Visitor(channel, ByteBuffer.allocate(1), 1, -7);
            assertThat(visitor.isLate(TimeUnit.SECONDS.toNanos(60) - 7)).isFalse();
            assertThat(visitor.isLate(TimeUnit.SECONDS.toNanos(60) - 6)).isTrue();
        }
    }

    @Test
    void ofTheUserThatHasMostConnectionsTheOneThatIsSilentLongestGivesWay() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            final List<AttachDesk.Visitor> visitors = LongStream.of(1, 2, 2, 3, 2)
                    .mapToObj(user -> new AttachDesk.Visitor(channel, ByteBuffer.allocate(1), user, 0))
                    .toList();
            assertThat(AttachDesk.givesWay(visitors)).isSameAs(visitors.get(1));
            assertThat(AttachDesk.givesWay(visitors.subList(0, 2))).isSameAs(visitors.getFirst());
        }
    }

    @Test
    void oneUserLeavesPlacesForOthers() {
        assertThat(AttachDesk.hasRoom(255, 223, false)).isTrue();
        assertThat(AttachDesk.hasRoom(224, 224, false)).isFalse();
        assertThat(AttachDesk.hasRoom(255, 255, true)).as("root, and whose driver it is").isTrue();
        assertThat(AttachDesk.hasRoom(256, 0, true)).isFalse();
    }

    @Test
    void aProcessHasSoManySocketsAndNoMore() {
        final SharedDriver client = all.attach(driver);
        for (int i = 0; i < RegionDescriptor.MOST_SOCKETS; i++) {
            client.bind(0);
        }
        assertThatThrownBy(() -> client.bind(0))
                .hasMessageContaining("(ENOBUFS)")
                .hasMessageContaining("may have 1024 sockets");
        client.close();
        while (driver.counters().get(Counter.CLIENTS) > 1) {
            Thread.onSpinWait();
        }
        assertThat(driver.counters().get(Counter.CLIENTS_LOST)).isZero();
    }
}
