package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDirected;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.BorrowedDatagram;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.unix.MemoryFile;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sockets of shared drivers, whose clients are in this process: what they do, and what they are told. */
@Timeout(60)
class SharedDriverTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;
    private RdpDriver left;
    private RdpDriver right;
    private SharedServer leftServer;
    private SharedDriver leftClient;
    private SharedDriver rightClient;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
        left = all.open(31);
        right = all.open(32);
        leftServer = all.serve(left);
        all.serve(right);
        leftClient = all.attach(left);
        rightClient = all.attach(right);
    }

    @AfterEach
    void close() {
        System.clearProperty(AnswerTimeout.PROPERTY);
        all.close();
        assertThat(directory).isEmptyDirectory();
    }

    /** Until the time of the test is over nothing else ends these waits. */
    @Test
    void whoIsInterruptedWaitsNoLonger() {
        final RdpSocket socket = leftClient.bind(0);
        try (RdpPoller poller = leftClient.poller()) {
            poller.add(socket, RdpPoller.READABLE);
            Thread.currentThread().interrupt();
            assertThat(socket.receive(ByteBuffer.allocate(8), Long.MAX_VALUE / 2)).isNull();
            assertThat(socket.awaitReadable(Long.MAX_VALUE / 2)).isFalse();
            assertThat(poller.poll(Long.MAX_VALUE / 2)).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void whatAListenerThrowsKeepsNobodyFromBeingTold() throws InterruptedException {
        final RdpSocket from = rightClient.bind(0);
        final RdpSocket bad = leftClient.bind(4000);
        final RdpSocket good = leftClient.bind(4001);
        final CountDownLatch thrown = new CountDownLatch(1);
        bad.watch(() -> {
            thrown.countDown();
            throw new IllegalStateException("a listener that is broken");
        });
        assertThat(from.send(numbered(1, 64), bad.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        thrown.await();
        final CountDownLatch told = new CountDownLatch(1);
        good.watch(told::countDown);
        assertThat(from.send(numbered(2, 64), good.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        told.await();
    }

    private static ByteBuffer numbered(final int number, final int lengthBytes) {
        final ByteBuffer datagram = ByteBuffer.allocate(lengthBytes);
        datagram.putInt(0, number);
        datagram.putInt(lengthBytes - Integer.BYTES, number);
        return datagram;
    }

    @Test
    void datagramsOfAllSizesArriveInOrder() throws InterruptedException {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket to = rightClient.bind(4000);
        final ByteBuffer target = ByteBuffer.allocateDirect(1 << 20);
        final int[] sizes = {8, 512, 513, 8_192, 8_193, 32_768, 32_769, 200_000, 64};
        final Thread sending = Thread.ofPlatform().daemon().start(() -> {
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
            assertThat(to.lastLength()).isEqualTo(sizes[i % sizes.length]);
            assertThat(target.getInt(0)).isEqualTo(i);
            assertThat(target.getInt(target.position() - Integer.BYTES)).isEqualTo(i);
        }
        sending.join();
        assertThat(to.receive(target)).isNull();
        assertThat(left.counters().get(Counter.TX_PACKETS)).isEqualTo(300);
        assertThat(left.status().clients()).singleElement().satisfies(client -> {
            assertThat(client.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(client.sockets()).isEqualTo(1);
            assertThat(client.calls()).isGreaterThan(300);
        });
        from.close();
        assertThat(left.status().sockets()).isEmpty();
        assertThat(left.missingBuffers()).isZero();
    }

    private static long calls(final RdpDriver driver) {
        return driver.status().clients().getFirst().calls();
    }

    @Test
    void aShortDatagramIsReceivedWithoutACall() {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket to = rightClient.bind(4000);
        final ByteBuffer target = ByteBuffer.allocate(RegionDescriptor.SLOT_MOST_BYTES + 1);
        final int[] sizes = {RegionDescriptor.SLOT_MOST_BYTES, 8, RegionDescriptor.SLOT_MOST_BYTES + 1, 20, 30};
        for (int i = 0; i < sizes.length; i++) {
            assertThat(from.send(numbered(i, sizes[i]), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        }
        while (to.pending() < sizes.length) {
            Thread.onSpinWait();
        }
        // A call that is answered later than that finds all told: of the last one it may be told after it is counted.
        assertThat(to.pending()).isEqualTo(sizes.length);
        assertThat(to.awaitReadable(LONG_NS)).as("told a little later than it is counted").isTrue();
        final long before = calls(right);
        assertThat(to.receive(target)).isEqualTo(from.localAddress());
        assertThat(target.position()).isEqualTo(RegionDescriptor.SLOT_MOST_BYTES);
        assertThat(target.getInt(RegionDescriptor.SLOT_MOST_BYTES - Integer.BYTES)).isZero();
        assertThat(calls(right)).as("the first is where the client finds it").isEqualTo(before);
        for (int i = 1; i < sizes.length; i++) {
            assertThat(to.receive(target.clear())).as("datagram " + i).isEqualTo(from.localAddress());
            assertThat(target.getInt(0)).isEqualTo(i);
            assertThat(to.lastLength()).isEqualTo(sizes[i]);
        }
        assertThat(calls(right)).as("a call brings one and leaves the next").isEqualTo(before + 3);
        assertThat(to.readyNow() & RdpPoller.READABLE).isZero();
        assertThat(to.receive(target.clear())).isNull();
        assertThat(to.pending()).isZero();
    }

    @Test
    void whoAsksForADatagramIsSentToTheOneThatIsLeftFirst() {
        final RdpSocket from = leftClient.bind(0);
        final RingSocket to = (RingSocket) rightClient.bind(4000);
        for (int i = 0; i < 2; i++) {
            assertThat(from.send(numbered(i, 10), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        }
        while (to.pending() < 2) {
            Thread.onSpinWait();
        }
        // As a thread does that looked before it was left.
        locked(rightClient, () -> {
            final ClientCalls calls = rightClient.calls("receive");
            assertThat(calls.call(CallVerb.RECEIVE, to.seat().number(), 10)).isEqualTo(AnswerDescriptor.IN_SLOT);
        });
        final ByteBuffer target = ByteBuffer.allocate(10);
        for (int i = 0; i < 2; i++) {
            assertThat(to.receive(target.clear(), LONG_NS)).isEqualTo(from.localAddress());
            assertThat(target.getInt(0)).isEqualTo(i);
        }
    }

    @Test
    void whatIsLeftForASocketIsCutToTheRoomThereIs() {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket to = rightClient.bind(4000);
        final ByteBuffer target = ByteBuffer.allocate(6);
        assertThat(from.send(numbered(7, 10), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(from.send(ByteBuffer.allocate(0), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(to.receive(target, LONG_NS)).isEqualTo(from.localAddress());
        assertThat(target.position()).isEqualTo(6);
        assertThat(to.lastLength()).isEqualTo(10);
        assertThat(to.receive(target.clear(), LONG_NS)).as("an empty one").isEqualTo(from.localAddress());
        assertThat(to.lastLength()).isZero();
    }

    @Test
    void whatIsLeftForASocketThatIsClosedIsNotTheNextSockets() {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket to = rightClient.bind(4000);
        assertThat(from.send(numbered(7, 10), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(to.awaitReadable(LONG_NS)).isTrue();
        to.close();
        final RdpSocket next = rightClient.bind(4001);
        assertThat(next.readyNow() & RdpPoller.READABLE).isZero();
        assertThat(next.receive(ByteBuffer.allocate(10))).isNull();
    }

    @Test
    void whoPollsADriverThatIsClosedIsTold() throws InterruptedException {
        final RdpPoller poller = rightClient.poller();
        poller.add(rightClient.bind(4000), RdpPoller.READABLE);
        final CountDownLatch isPolling = new CountDownLatch(1);
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final Thread polling = Thread.ofPlatform().daemon().start(() -> {
            isPolling.countDown();
            try {
                told.complete(new AssertionError(poller.poll(Long.MAX_VALUE / 2)));
            } catch (final VerbsException e) {
                told.complete(e);
            }
        });
        isPolling.await();
        rightClient.close();
        polling.join();
        assertThat(told.join()).hasMessageContaining("(EINVAL): it is closed here");
        poller.close();
    }

    @Test
    void threadsCallInTheOrderTheyCame() throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            final List<String> order = new CopyOnWriteArrayList<>();
            leftClient.lock();
            final Thread other = Thread.ofPlatform().start(() -> locked(leftClient, () -> order.add("who waits")));
            while (other.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            leftClient.unlock();
            locked(leftClient, () -> order.add("who was in before"));
            other.join();
            assertThat(order).as("turn " + i).containsExactly("who waits", "who was in before");
        }
    }

    private static void locked(final SharedDriver client, final Runnable what) {
        client.lock();
        try {
            what.run();
        } finally {
            client.unlock();
        }
    }

    @Test
    void whatIsWrongIsSaidAsByADriverOfOnesOwn() {
        final RdpSocket one = leftClient.bind(4000);
        assertThat(one.localAddress()).isEqualTo(new InetSocketAddress(left.address(), 4000));
        assertThatThrownBy(() -> leftClient.bind(4000))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("port 4000 failed (EADDRINUSE): another socket has this port");
        assertThatThrownBy(() -> leftClient.bind(70_000)).hasMessageContaining("a port is 0 .. 65535");
        assertThat(one.send(ByteBuffer.allocate(one.longestDatagram() + 1), one.localAddress()))
                .isEqualTo(SendResult.TOO_LONG);
        assertThat(one.send(ByteBuffer.allocate(4 << 20), one.localAddress())).isEqualTo(SendResult.TOO_LONG);
        assertThat(one.send(ByteBuffer.allocate(one.longestDatagram()), one.localAddress()))
                .isEqualTo(SendResult.SENT);
        assertThat(one.send(numbered(1, 10), new InetSocketAddress(right.address(), 99), LONG_NS))
                .isEqualTo(SendResult.UNREACHABLE);
        assertThatThrownBy(() -> one.send(numbered(1, 10), new InetSocketAddress(right.address(), 0)))
                .hasMessageContaining("a port from 1 on");
        assertThatThrownBy(() -> one.sendBufferBytes(0)).hasMessageContaining("SO_SNDBUF = 0: it may be 1 or more");
        assertThatThrownBy(() -> one.borrow(new BorrowedDatagram())).hasMessageContaining("(EOPNOTSUPP)");
        assertThatThrownBy(() -> new RdpDirected(one)).hasMessageContaining("(EOPNOTSUPP)");
        assertThatThrownBy(() -> leftClient.poller().add(rightClient.bind(0), RdpPoller.READABLE))
                .hasMessageContaining("the socket is of another driver");
        one.close();
        assertThatThrownBy(one::localAddress).hasMessageContaining("it is closed");
    }

    @Test
    void optionsAreTheSocketsOwn() {
        final RdpSocket one = leftClient.bind(0);
        final RdpSocket other = leftClient.bind(0);
        one.sendBufferBytes(70_000);
        one.receiveBufferBytes(80_000);
        assertThat(one.sendBufferBytes()).isEqualTo(70_000);
        assertThat(one.receiveBufferBytes()).isEqualTo(80_000);
        assertThat(one.longestDatagram()).isBetween(69_000, 70_000);
        assertThat(other.sendBufferBytes()).isNotEqualTo(70_000);
    }

    /** Else one client could take all receive memory of the driver. */
    @Test
    void aSocketMayHoldAPartOfTheReceiveMemoryAtMost() {
        final RdpSocket one = leftClient.bind(0);
        one.sendBufferBytes(Integer.MAX_VALUE);
        one.receiveBufferBytes(Integer.MAX_VALUE);
        final int most = (int) (left.config().maxRecvMemory() / 16);
        assertThat(one.sendBufferBytes()).isEqualTo(most);
        assertThat(one.receiveBufferBytes()).isEqualTo(most);
        left.change("UserBufferSize=" + 2 * most);
        one.receiveBufferBytes(Integer.MAX_VALUE);
        assertThat(one.receiveBufferBytes()).isEqualTo(2 * most);
    }

    @Test
    void aReceiverThatDoesNotReadHoldsUpItsOwnSendersAlone() {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket slow = rightClient.bind(1);
        final RdpSocket quick = rightClient.bind(2);
        final ByteBuffer target = ByteBuffer.allocate(10_000);
        slow.receiveBufferBytes(50_000);
        int sent = 0;
        while (left.counters().get(Counter.STALLS_RECEIVED) == 0) {
            sent += from.send(numbered(sent, 10_000), slow.localAddress()) == SendResult.SENT ? 1 : 0;
        }
        while (left.status().sockets().getFirst().sendHeld() > 0) {
            Thread.onSpinWait();
        }
        assertThat(from.send(numbered(sent, 10_000), slow.localAddress())).isEqualTo(SendResult.WOULD_BLOCK);
        assertThat(from.readyNow() & RdpPoller.WRITABLE).isZero();
        assertThat(from.send(numbered(7, 10), quick.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(quick.receive(target, LONG_NS)).isEqualTo(from.localAddress());
        assertThat(from.send(numbered(sent, 10_000), slow.localAddress())).isEqualTo(SendResult.WOULD_BLOCK);
        try (RdpPoller poller = leftClient.poller()) {
            poller.add(from, RdpPoller.WRITABLE);
            // That it is worth another try may still be told for what went to the other one; it is not told for ever.
            for (int told = 0; !poller.poll(0).isEmpty(); told++) {
                assertThat(told).isLessThan(10);
                assertThat(from.send(numbered(sent, 10_000), slow.localAddress())).isEqualTo(SendResult.WOULD_BLOCK);
            }
            for (int i = 0; i < sent; i++) {
                assertThat(slow.receive(target.clear(), LONG_NS)).isEqualTo(from.localAddress());
                assertThat(target.getInt(0)).isEqualTo(i);
            }
            assertThat(poller.poll(LONG_NS)).containsExactly(from);
        }
        assertThat(from.send(numbered(sent, 10_000), slow.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
    }

    @Test
    void aPollerAndAListenerHearOfDatagrams() throws InterruptedException {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket[] sockets = new RdpSocket[50];
        final CountDownLatch told = new CountDownLatch(1);
        try (RdpPoller poller = rightClient.poller(); RdpPoller other = rightClient.poller()) {
            for (int i = 0; i < sockets.length; i++) {
                sockets[i] = rightClient.bind(100 + i);
                poller.add(sockets[i], RdpPoller.READABLE);
            }
            assertThat(poller.poll(1_000)).isEmpty();
            assertThatThrownBy(() -> other.add(sockets[3], RdpPoller.READABLE))
                    .hasMessageContaining("another poller has the socket");
            sockets[7].watch(() -> {
                if ((sockets[7].readyNow() & RdpPoller.READABLE) != 0) {
                    told.countDown();
                }
            });
            final Thread sending = Thread.ofPlatform()
                    .daemon()
                    .start(() -> from.send(numbered(1, 10), sockets[7].localAddress(), LONG_NS));
            assertThat(poller.poll(LONG_NS)).containsExactly(sockets[7]);
            told.await();
            sending.join();
            assertThat(sockets[7].receive(ByteBuffer.allocate(10))).isEqualTo(from.localAddress());
            assertThat(poller.poll(0)).isEmpty();
            sockets[7].close();
            assertThat(poller.poll(0)).isEmpty();
        }
    }

    @Test
    void aSendInPlaceIsCopiedAndOver() {
        final RdpSocket from = leftClient.bind(0);
        final RdpSocket to = rightClient.bind(1);
        final SendCompletion completion = new SendCompletion();
        final AtomicBoolean told = new AtomicBoolean();
        final ByteBuffer target = ByteBuffer.allocate(100_000);
        assertThat(from.send(numbered(1, 10), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment datagram = arena.allocate(100_000);
            assertThat(from.poll(completion)).isFalse();
            final Thread sender = Thread.currentThread();
            from.watch(() -> told.compareAndSet(false, Thread.currentThread() == sender));
            assertThat(from.sendInPlace(datagram, to.localAddress(), 77)).isEqualTo(SendResult.SENT);
            assertThat(told).as("its listener is told of the completion").isTrue();
            datagram.fill((byte) 9);
            assertThat(from.readyNow() & RdpPoller.COMPLETED).isNotZero();
            assertThat(from.poll(completion)).isTrue();
            assertThat(completion.token()).isEqualTo(77);
            assertThat(from.readyNow() & RdpPoller.COMPLETED).isZero();
            leftClient.forget(datagram);
        }
        assertThat(to.receive(target, LONG_NS)).isEqualTo(from.localAddress());
        assertThat(to.receive(target.clear(), LONG_NS)).isEqualTo(from.localAddress());
        assertThat(target.get(50_000)).isZero();
    }

    /** A link to itself: connecting there fails, and not because it is refused. */
    @Test
    void whatCannotBeAskedWhetherADriverListensStays() throws IOException {
        final RdpDriver third = all.open(33);
        final Path path = directory.resolve(third.name() + ".rdpd");
        Files.createSymbolicLink(path, path);
        assertThatThrownBy(() -> SharedServer.open(third))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
                .hasMessageContaining("whether a driver listens at " + path + " cannot be told: Too many levels");
        Files.delete(path);
    }

    @Test
    void aSocketKnowsWhatANodeCallsItself() {
        final RdpSocket socket = leftClient.bind(0);
        final InetSocketAddress alias = new InetSocketAddress(Drivers.own(39), 7);
        assertThat(socket.nameOf(alias)).isEqualTo(alias);
        left.inside(engine -> {
            engine.nodes().onNamed(engine.nodes().peer(alias.getAddress()), right.address());
            return engine;
        });
        assertThat(socket.nameOf(alias)).isEqualTo(new InetSocketAddress(right.address(), 7));
    }

    @Test
    void aDriverThatEndsIsNamedAndItsSuccessorTakesOver() {
        final RdpSocket one = leftClient.bind(4000);
        final RdpSocket idle = leftClient.bind(4001);
        final RdpSocket other = rightClient.bind(1);
        final ByteBuffer target = ByteBuffer.allocate(100);
        one.receiveBufferBytes(77_777);
        assertThat(one.send(numbered(1, 10), other.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        leftServer.close();
        assertThat(one.awaitReadable(LONG_NS)).isTrue();
        assertThatThrownBy(() -> one.receive(target))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(107))
                .hasMessageContaining("the shared driver has ended");
        assertThat(one.receive(target)).isNull();
        assertThatThrownBy(() -> one.send(numbered(1, 10), other.localAddress()))
                .hasMessageContaining("(ENOTCONN)")
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> SharedDriver.attach(left.name()))
                .hasMessageContaining("(ENOTCONN)")
                .hasMessageContaining("start `vhca rdp driver --device " + left.name());

        all.serve(left);
        while (left.status().sockets().size() < 2) {
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> idle.receive(target)).hasMessageContaining("the shared driver has ended");
        assertThat(one.send(numbered(2, 10), other.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(one.receiveBufferBytes()).isEqualTo(77_777);
        assertThat(other.receive(target, LONG_NS)).isEqualTo(one.localAddress());
        assertThat(other.receive(target.clear(), LONG_NS)).isEqualTo(one.localAddress());
        assertThat(target.getInt(0)).isEqualTo(2);
        assertThat(other.send(numbered(3, 10), idle.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(idle.receive(target.clear(), LONG_NS)).isEqualTo(other.localAddress());
    }

    @Test
    void aDriverThatEndsBeforeItTookTheSocketsOverIsLeft() throws Exception {
        final RdpSocket one = leftClient.bind(4000);
        final RdpSocket other = rightClient.bind(1);
        // Longer than this test may take.
        System.setProperty(AnswerTimeout.PROPERTY, String.valueOf(TimeUnit.SECONDS.toMillis(90)));
        leftServer.close();
        final int ringBytes = RegionDescriptor.ringBytes(512);
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                MemoryFile file = MemoryFile.create("short-lived", RegionDescriptor.size(ringBytes))) {
            listener.bind(UnixDomainSocketAddress.of(leftServer.path()));
            final GuardedRing calls = SharedRegion.create(file, ringBytes).callReader();
            try (SocketChannel client = listener.accept()) {
                assertThat(client.read(ByteBuffer.allocate(100))).isEqualTo(AttachDescriptor.REQUEST_SIZE);
                final byte[] terms = AttachDescriptor.encode(new AttachDescriptor.Answer(
                        AttachDescriptor.VERSION, 0, ringBytes, 512, 1, left.address(), ""));
                UnixPeer.send(client, terms, file);
                while (!calls.next()) {
                    Thread.onSpinWait();
                }
            }
        }
        Files.delete(leftServer.path());
        all.serve(left);
        while (left.status().sockets().isEmpty()) {
            assertThat(Thread.interrupted()).as("it takes too long").isFalse();
        }
        assertThat(other.send(numbered(1, 10), one.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
    }

    /** Selectors that this process has. */
    private static long selectors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(SharedDriverTest::isSelector).count();
        }
    }

    private static boolean isSelector(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString().contains("eventpoll");
        } catch (final IOException e) {
            return false; // closed since
        }
    }

    /** What is left open is a client of the driver for ever. */
    @Test
    void whereTheThreadOfAClientCannotBeStartedNothingIsKept() throws IOException {
        final long before = selectors();
        assertThatThrownBy(() -> SharedDriver.attach(left.name(), thread -> {
                    throw new OutOfMemoryError("a test's");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(selectors()).isLessThanOrEqualTo(before);
        while (left.counters().get(Counter.CLIENTS) > 1) {
            assertThat(Thread.interrupted()).as("the driver keeps the client").isFalse();
        }
        assertThat(leftClient.bind(9).pending()).isZero();
    }

    @Test
    void whereTheThreadOfAServerCannotBeStartedNothingIsKept() throws IOException {
        leftClient.close(); // it would look for the next server, by a selector of its own
        leftServer.close();
        final long before = selectors();
        assertThatThrownBy(() -> SharedServer.open(left, () -> {}, thread -> {
                    throw new OutOfMemoryError("a test's");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(selectors()).isLessThanOrEqualTo(before);
        assertThat(leftServer.path()).doesNotExist();
    }

    @Test
    void aSecondServerOfADeviceIsRefusedAndARestIsSweptAway() throws Exception {
        assertThatThrownBy(() -> SharedServer.open(left)).hasMessageContaining("(EADDRINUSE)");
        assertThat(leftClient.bind(0).pending()).isZero();
        leftServer.close();
        Files.writeString(leftServer.path(), "what a driver left that was killed");
        all.serve(left);
        assertThat(all.attach(left).bind(9).pending()).isZero();
    }

    /** No half of a call is left in the ring. */
    @Test
    void bytesThatTheBufferHasNotAreRefusedBeforeTheCall() {
        System.setProperty(AnswerTimeout.PROPERTY, "5000");
        try (SharedDriver client = all.attach(left)) {
            final RdpSocket one = client.bind(0);
            final DirectBuffer buffer = new UnsafeBuffer(new byte[100]);
            assertThatThrownBy(() -> one.send(buffer, 95, 10, one.localAddress()))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(one.send(buffer, 90, 10, one.localAddress())).isEqualTo(SendResult.SENT);
        }
    }

    /** Nothing comes any more by a socket that was closed, by itself or with its driver: who waits hears it. */
    @Test
    void whoWaitsOnASocketThatIsClosedIsTold() {
        final RdpSocket one = rightClient.bind(0);
        final RdpSocket other = rightClient.bind(0);
        one.close();
        rightClient.close();
        for (final RdpSocket socket : List.of(one, other)) {
            final SocketSeat seat = ((RingSocket) socket).seat();
            assertThatThrownBy(() -> seat.await("receive", RdpPoller.READABLE, System.nanoTime()))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("receive")
                    .hasMessageContaining("it is closed");
        }
    }
}
