package io.vhca.rdp.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpCounters.Counter;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels of the provider over two drivers and over UDP, with threads and real packets. */
@Timeout(60)
class RdpSelectorProviderTest {
    private static final int NETWORK_BITS = 24;

    private final Drivers drivers = new Drivers();
    private final RdpDriver left = drivers.open(1);
    private final RdpDriver right = drivers.open(2);
    private final RdpSelectorProvider provider =
            new RdpSelectorProvider(List.of(new RdpNetwork(left, NETWORK_BITS)));
    private final RdpSelectorProvider other =
            new RdpSelectorProvider(List.of(new RdpNetwork(right, NETWORK_BITS)));

    @AfterEach
    void close() {
        drivers.close();
    }

    private static ByteBuffer bytes(final int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
    }

    private static InetSocketAddress at(final InetAddress address, final int port) {
        return new InetSocketAddress(address, port);
    }

    private static InetSocketAddress local(final DatagramChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private static int received(final DatagramChannel channel, final SocketAddress from) throws IOException {
        final ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(channel.receive(target)).isEqualTo(from);
        assertThat(target.position()).isEqualTo(Integer.BYTES);
        return target.getInt(0);
    }

    @Test
    void theAddressOfADriverMeansReliableDatagrams() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            one.bind(at(left.address(), 0));
            two.bind(at(right.address(), 4_000));
            assertThat(one.send(bytes(7), local(two))).isEqualTo(Integer.BYTES);
            assertThat(received(two, one.getLocalAddress())).isEqualTo(7);
            assertThat(two.send(bytes(8), local(one))).isEqualTo(Integer.BYTES);
            assertThat(received(one, two.getLocalAddress())).isEqualTo(8);
            assertThat(left.counters().get(Counter.TX_PACKETS)).isEqualTo(1);
            assertThat(right.counters().get(Counter.TX_PACKETS)).isEqualTo(1);
            assertThatThrownBy(() -> two.bind(null)).isInstanceOf(AlreadyBoundException.class);
            try (DatagramChannel third = other.openDatagramChannel()) {
                assertThatThrownBy(() -> third.bind(at(right.address(), 4_000)))
                        .isInstanceOf(BindException.class)
                        .hasMessageContaining("another socket has this port");
            }
        }
    }

    @Test
    void anyOtherAddressMeansUdp() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = provider.openDatagramChannel();
                DatagramSocket plain = new DatagramSocket(at(Drivers.own(90), 0))) {
            one.bind(at(Drivers.own(91), 0));
            // Even a target in the network of a driver: the address that a channel is bound to decides.
            two.bind(at(Drivers.own(92), 0));
            one.send(bytes(1), local(two));
            assertThat(received(two, one.getLocalAddress())).isEqualTo(1);
            one.send(bytes(2), plain.getLocalSocketAddress());
            final DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            plain.receive(packet);
            assertThat(packet.getLength()).isEqualTo(Integer.BYTES);
            assertThat(packet.getSocketAddress()).isEqualTo(one.getLocalAddress());
            plain.send(packet);
            assertThat(received(one, plain.getLocalSocketAddress())).isEqualTo(2);
            assertThat(left.counters().get(Counter.TX_PACKETS)).isZero();
        }
    }

    /** A channel at all addresses of the host has both: who is in a driver's network is answered by it. */
    @Test
    void aChannelAtAllAddressesHasBoth() throws IOException {
        try (DatagramChannel server = other.openDatagramChannel();
                DatagramChannel reliable = provider.openDatagramChannel();
                DatagramSocket plain = new DatagramSocket(at(InetAddress.ofLiteral("127.0.0.93"), 0))) {
            server.bind(at(InetAddress.ofLiteral("0.0.0.0"), 0));
            final int port = local(server).getPort();
            // Its target is in the network: unbound it sends there by a socket of its own.
            reliable.send(bytes(5), at(right.address(), port));
            final InetSocketAddress from = at(left.address(), local(reliable).getPort());
            assertThat(received(server, from)).isEqualTo(5);
            plain.send(new DatagramPacket(new byte[4], 4, at(Drivers.own(94), port)));
            assertThat(received(server, plain.getLocalSocketAddress())).isZero();
            server.send(bytes(6), from);
            assertThat(received(reliable, at(right.address(), port))).isEqualTo(6);
            server.send(bytes(9), plain.getLocalSocketAddress());
            plain.receive(new DatagramPacket(new byte[4], 4));
            assertThat(right.counters().get(Counter.TX_PACKETS)).isEqualTo(1);
        }
    }

    /** Whose port the system chose has it of the devices too: who is told of it may send by either. */
    @Test
    void aChannelAtAllAddressesHasBothWhateverItsPort() throws IOException {
        for (final @Nullable SocketAddress any :
                Arrays.asList(null, new InetSocketAddress(0), at(InetAddress.ofLiteral("0.0.0.0"), 0))) {
            try (DatagramChannel server = other.openDatagramChannel();
                    DatagramChannel reliable = provider.openDatagramChannel()) {
                server.bind(any);
                reliable.send(bytes(5), at(right.address(), local(server).getPort()));
                assertThat(received(server, at(left.address(), local(reliable).getPort()))).isEqualTo(5);
            }
        }
    }

    @Test
    void whereADriverHasNoSocketForAPortThatNobodyAskedForItIsUdps() throws IOException {
        right.close();
        try (DatagramChannel channel = other.openDatagramChannel().bind(null)) {
            assertThat(local(channel).getPort()).isPositive();
        }
    }

    /** As those who listen to one group do: the first has the port of the devices, the others that of UDP. */
    @Test
    void whoMaySharePortsIsNotRefusedForTheDevices() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = provider.openDatagramChannel();
                DatagramChannel alone = provider.openDatagramChannel()) {
            one.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(at(InetAddress.ofLiteral("0.0.0.0"), 0));
            final SocketAddress port = at(InetAddress.ofLiteral("0.0.0.0"), local(one).getPort());
            two.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(port);
            assertThat(local(two).getPort()).isEqualTo(local(one).getPort());
            assertThatThrownBy(() -> alone.bind(port))
                    .isInstanceOf(BindException.class);
        }
    }

    @Test
    void aSelectorTakesBothKindsAtOnce() throws IOException {
        try (Selector selector = provider.openSelector();
                DatagramChannel reliable = provider.openDatagramChannel();
                DatagramChannel udp = provider.openDatagramChannel();
                DatagramChannel sender = other.openDatagramChannel();
                ServerSocketChannel server = provider.openServerSocketChannel()) {
            final Pipe pipe = provider.openPipe();
            server.bind(at(Drivers.own(95), 0));
            server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT, "server");
            pipe.source().configureBlocking(false).register(selector, OP_READ, "pipe");
            // Registered before they are bound, as Netty does.
            reliable.configureBlocking(false).register(selector, OP_READ, "reliable");
            udp.configureBlocking(false).register(selector, OP_READ, "udp");
            reliable.bind(at(left.address(), 0));
            udp.bind(at(Drivers.own(96), 0));
            sender.bind(at(right.address(), 0));
            assertThat(selector.keys()).hasSize(4);
            assertThat(selector.selectNow()).isZero();
            sender.send(bytes(1), local(reliable));
            assertThat(names(selector, 1)).containsExactly("reliable");
            try (SocketChannel client = provider.openSocketChannel(); DatagramSocket plain = new DatagramSocket()) {
                client.connect(server.getLocalAddress());
                pipe.sink().write(bytes(3));
                plain.send(new DatagramPacket(new byte[4], 4, udp.getLocalAddress()));
                // Nothing was received: what was ready is ready still.
                assertThat(names(selector, 4)).containsExactlyInAnyOrder("reliable", "server", "pipe", "udp");
            }
            received(reliable, sender.getLocalAddress());
            udp.receive(ByteBuffer.allocate(10));
            pipe.source().read(ByteBuffer.allocate(10));
            server.accept().close();
            assertThat(selector.selectNow()).isZero();
            pipe.sink().close();
            assertThat(names(selector, 1)).containsExactly("pipe");
            pipe.source().close();
            assertThat(selector.selectNow()).isZero();
            assertThat(selector.keys()).hasSize(3);
        }
    }

    private static Set<Object> names(final Selector selector, final int atLeast) throws IOException {
        final Set<Object> names = new HashSet<>();
        while (names.size() < atLeast) {
            selector.select();
            selector.selectedKeys().forEach(key -> names.add(key.attachment()));
            selector.selectedKeys().clear();
        }
        return names;
    }

    private static <T> T stub(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** That driver, where the device refuses all turns that others than its own thread give it. */
    private static RdpSockets refusing(final RdpDriver driver) {
        return stub(RdpSockets.class, (self, method, arguments) -> switch (method.getName()) {
            case "doWork" -> throw new VerbsException("poll", Errno.ENOMEM, "cq", "not now");
            case "help" -> InvocationHandler.invokeDefault(self, method, arguments);
            case "bind" -> {
                final RdpSocket socket = driver.bind((int) arguments[0]);
                yield stub(RdpSocket.class, (proxy, call, values) ->
                        call.getName().equals("driver") ? self : call.invoke(socket, values));
            }
            default -> method.invoke(driver, arguments);
        });
    }

    @Test
    void whatTheDeviceRefusesEndsNoSelection() throws IOException {
        final RdpSelectorProvider refused =
                new RdpSelectorProvider(List.of(new RdpNetwork(refusing(left), NETWORK_BITS)));
        try (Selector selector = refused.openSelector();
                DatagramChannel reliable = refused.openDatagramChannel();
                DatagramChannel udp = refused.openDatagramChannel();
                DatagramSocket plain = new DatagramSocket()) {
            reliable.bind(at(left.address(), 0)).configureBlocking(false).register(selector, OP_READ, "reliable");
            udp.bind(at(Drivers.own(97), 0)).configureBlocking(false).register(selector, OP_READ, "udp");
            plain.send(new DatagramPacket(new byte[4], 4, udp.getLocalAddress()));
            assertThat(names(selector, 1)).containsExactly("udp");
            assertThat(reliable.receive(ByteBuffer.allocate(10))).isNull();
        }
    }

    /** What becomes ready while it gave its last turn wakes nobody: it looks once more when it has said so. */
    @Test
    void whoWaitsSaysSoAndLooksOnceMore() throws IOException {
        final List<String> calls = new ArrayList<>();
        final InetSocketAddress sender = at(Drivers.own(5), 5);
        final RdpSockets driver = stub(RdpSockets.class, (self, method, arguments) -> {
            calls.add(method.getName());
            return switch (method.getName()) {
                case "help" -> 0;
                case "bind" -> {
                    final RdpSocket socket = left.bind((int) arguments[0]);
                    yield stub(RdpSocket.class, (_, call, values) -> {
                        calls.add(call.getName());
                        return switch (call.getName()) {
                            case "driver" -> self;
                            case "readyNow" -> RdpPoller.READABLE;
                            case "receive" -> Collections.frequency(calls, "receive") > 1 ? sender : null;
                            default -> call.invoke(socket, values);
                        };
                    });
                }
                default -> method.invoke(left, arguments);
            };
        });
        final RdpSelectorProvider counted = new RdpSelectorProvider(List.of(new RdpNetwork(driver, NETWORK_BITS)));
        try (DatagramChannel channel = counted.openDatagramChannel()) {
            channel.bind(at(InetAddress.ofLiteral("0.0.0.0"), 0));
            calls.clear();
            assertThat(channel.receive(ByteBuffer.allocate(10))).isEqualTo(sender);
            calls.removeIf("driver"::equals);
            assertThat(calls).containsExactly("receive", "help", "waits", "readyNow", "receive");
        }
    }

    /** A send that is not taken answers 0; the channel is writable when the receiver has read, and not before. */
    @Test
    void aStalledReceiverMakesAChannelUnwritable() throws IOException {
        try (Selector selector = provider.openSelector();
                DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            two.bind(at(right.address(), 0)).setOption(StandardSocketOptions.SO_RCVBUF, 20_000);
            one.bind(at(left.address(), 0)).configureBlocking(false);
            final SelectionKey key = one.register(selector, OP_WRITE);
            final ByteBuffer datagram = ByteBuffer.allocate(5_000);
            // Until the stall is known, and nothing more is taken.
            while (one.send(datagram.clear(), local(two)) > 0 || left.counters().get(Counter.STALLS_RECEIVED) == 0) {
                Thread.onSpinWait();
            }
            while (left.status().sockets().getFirst().sendHeld() > 0) {
                Thread.onSpinWait();
            }
            assertThat(one.send(datagram.clear(), local(two))).isZero();
            assertThat(selector.selectNow()).isZero();
            assertThat(selector.select(5)).isZero();
            while (right.status().sockets().getFirst().pending() > 0) {
                assertThat(two.receive(datagram.clear())).isEqualTo(one.getLocalAddress());
            }
            assertThat(selector.select()).isEqualTo(1);
            assertThat(selector.selectedKeys()).containsExactly(key);
            assertThat(one.send(datagram.clear(), local(two))).isPositive();
        }
    }

    /** A program of UDP does not look whether its first datagram was taken. */
    @Test
    void aFirstSendThatMustNotBlockIsTaken() throws IOException {
        // However slow the host is: to connect may take longer than such a send waits where nothing is said.
        System.setProperty(RdpNetworks.OPEN_WAIT, "60000");
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            two.bind(at(right.address(), 0));
            one.configureBlocking(false);
            assertThat(one.send(bytes(1), local(two))).isEqualTo(Integer.BYTES);
            assertThat(received(two, at(left.address(), local(one).getPort()))).isEqualTo(1);
            assertThatThrownBy(() -> one.send(bytes(1), at(right.address(), 1)))
                    .isInstanceOf(PortUnreachableException.class);
        } finally {
            System.clearProperty(RdpNetworks.OPEN_WAIT);
        }
    }

    @Test
    void whatUdpHasAloneIsRefusedOrGoesToUdp() throws IOException {
        final InetAddress group = InetAddress.ofLiteral("239.1.2.3");
        final NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel free = provider.openDatagramChannel()) {
            one.bind(at(left.address(), 0));
            assertThatThrownBy(() -> one.send(bytes(1), at(group, 5)))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("multicast address 239.1.2.3");
            assertThatThrownBy(() -> one.send(bytes(1), at(InetAddress.ofLiteral("255.255.255.255"), 5)))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("broadcast address 255.255.255.255");
            assertThatThrownBy(() -> one.send(bytes(1), at(Drivers.own(255), 5)))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("broadcast");
            assertThatThrownBy(() -> one.join(group, loopback))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("cannot join the group 239.1.2.3");
            free.bind(null);
            free.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
            assertThat(free.send(bytes(1), at(group, 5))).isEqualTo(Integer.BYTES);
            assertThat(left.counters().get(Counter.TX_PACKETS)).isZero();
        }
    }

    @Test
    void whatCannotArriveIsSaid() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel()) {
            one.bind(at(left.address(), 0)).setOption(StandardSocketOptions.SO_SNDBUF, 5_000);
            assertThat(one.getOption(StandardSocketOptions.SO_SNDBUF)).isEqualTo(5_000);
            assertThatThrownBy(() -> one.send(ByteBuffer.allocate(6_000), at(right.address(), 1)))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("a datagram of 6000 bytes is too long: the limit is 4936");
            assertThatThrownBy(() -> one.send(bytes(1), at(right.address(), 1)))
                    .isInstanceOf(PortUnreachableException.class)
                    .hasMessageContaining("no socket has that port");
            try (Selector selector = provider.openSelector()) {
                one.configureBlocking(false).register(selector, OP_WRITE);
                assertThat(selector.selectNow()).as("another one may go").isEqualTo(1);
            }
        }
    }

    @Test
    void aConnectedChannelTalksToOneAlone() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel();
                DatagramChannel stranger = other.openDatagramChannel()) {
            two.bind(at(right.address(), 0));
            stranger.bind(at(right.address(), 0));
            assertThatThrownBy(() -> one.write(bytes(1))).isInstanceOf(NotYetConnectedException.class);
            // The target's network decides.
            one.connect(local(two));
            assertThat(local(one).getAddress()).isEqualTo(left.address());
            assertThat(one.getRemoteAddress()).isEqualTo(two.getLocalAddress());
            assertThat(one.write(new ByteBuffer[] {bytes(1), bytes(2)})).isEqualTo(2 * Integer.BYTES);
            final ByteBuffer[] parts = {ByteBuffer.allocate(3), ByteBuffer.allocate(90)};
            two.connect(local(one));
            assertThat(two.read(parts)).isEqualTo(2 * Integer.BYTES);
            assertThat(parts[1].position()).isEqualTo(5);
            stranger.send(bytes(9), local(one));
            two.write(bytes(4));
            final ByteBuffer target = ByteBuffer.allocate(10);
            assertThat(one.read(target)).isEqualTo(Integer.BYTES);
            assertThat(target.getInt(0)).isEqualTo(4);
            one.disconnect();
            stranger.send(bytes(9), local(one));
            assertThat(received(one, stranger.getLocalAddress())).isEqualTo(9);
        }
    }

    @Test
    void itsSocketDoesTheSame() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            final DatagramSocket socket = one.socket();
            assertThat(socket.isBound()).isFalse();
            socket.bind(at(left.address(), 0));
            two.bind(at(right.address(), 0));
            assertThat(socket.getLocalAddress()).isEqualTo(left.address());
            assertThat(socket.getChannel()).isSameAs(one);
            socket.send(new DatagramPacket(new byte[] {1, 2, 3, 4}, 4, two.getLocalAddress()));
            assertThat(received(two, socket.getLocalSocketAddress())).isEqualTo(0x01020304);
            two.send(bytes(5), local(one));
            final DatagramPacket packet = new DatagramPacket(new byte[10], 10);
            socket.receive(packet);
            assertThat(packet.getLength()).isEqualTo(4);
            assertThat(packet.getSocketAddress()).isEqualTo(two.getLocalAddress());
            socket.setSoTimeout(1);
            assertThatThrownBy(() -> socket.receive(packet)).isInstanceOf(SocketTimeoutException.class);
            socket.close();
            assertThat(one.isOpen()).isFalse();
        }
    }

    /** As java.net.DatagramSocket says it of each of these. */
    @Test
    void aClosedSocketKnowsWhereItWasBoundAndConnected() throws IOException {
        for (final InetAddress to : List.of(right.address(), InetAddress.getLoopbackAddress())) {
            final DatagramSocket socket = provider.openDatagramChannel().socket();
            final DatagramSocket never = provider.openDatagramChannel().socket();
            final InetSocketAddress remote = new InetSocketAddress(to, 9);
            socket.connect(remote);
            socket.close();
            never.close();
            assertThat(List.of(socket.isBound(), socket.isConnected(), never.isBound(), never.isConnected()))
                    .containsExactly(true, true, false, false);
            assertThat(socket.getRemoteSocketAddress()).isEqualTo(remote);
            assertThat(socket.getInetAddress()).isEqualTo(to);
            assertThat(socket.getPort()).isEqualTo(9);
            assertThat(socket.getLocalPort()).isEqualTo(-1);
        }
    }

    @Test
    void whoWaitsHearsOfTheEnd() throws Exception {
        for (final SocketAddress own : List.of(at(left.address(), 0), at(InetAddress.ofLiteral("0.0.0.0"), 0))) {
            final DatagramChannel closed = provider.openDatagramChannel().bind(own);
            assertThat(ended(closed, closed::close)).isInstanceOf(ClosedChannelException.class);
            final DatagramChannel interrupted = provider.openDatagramChannel().bind(own);
            assertThat(ended(interrupted, null)).isInstanceOf(ClosedByInterruptException.class);
            assertThat(interrupted.isOpen()).isFalse();
        }
    }

    /** The driver is another's to close: the channel stays open, and says it as a channel does. */
    @Test
    void whoWaitsHearsThatTheDriverIsClosed() throws Exception {
        for (final int last : new int[] {3, 4}) {
            final RdpDriver driver = drivers.open(last);
            final InetAddress own = last == 3 ? driver.address() : InetAddress.ofLiteral("0.0.0.0");
            final RdpSelectorProvider third = new RdpSelectorProvider(List.of(new RdpNetwork(driver, NETWORK_BITS)));
            try (DatagramChannel channel = third.openDatagramChannel().bind(at(own, 0))) {
                assertThat(ended(channel, driver::close)).isInstanceOf(SocketException.class);
                assertThat(channel.isOpen()).isTrue();
                assertThatThrownBy(() -> channel.getOption(StandardSocketOptions.SO_SNDBUF))
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("it is closed");
            }
        }
    }

    private interface Act {
        void run() throws Exception;
    }

    /** How a receive ends; it is interrupted where there is nothing to do to it. */
    private static @Nullable Throwable ended(final DatagramChannel channel, final @Nullable Act act)
            throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            final CompletableFuture<Thread> began = new CompletableFuture<>();
            final Future<SocketAddress> receiving = executor.submit(() -> {
                began.complete(Thread.currentThread());
                return channel.receive(ByteBuffer.allocate(10));
            });
            final Thread thread = began.get();
            while (!Stacks.isIn(thread, "doSelect", "awaitReadable") && thread.isAlive()) {
                Thread.onSpinWait();
            }
            if (act == null) {
                thread.interrupt();
            } else {
                act.run();
            }
            try {
                receiving.get(30, TimeUnit.SECONDS);
                throw new AssertionError("it received something");
            } catch (final ExecutionException e) {
                return e.getCause();
            }
        }
    }

    @Test
    void aSelectionEndsAsItMust() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            final Selector selector = provider.openSelector();
            final DatagramChannel one = provider.openDatagramChannel().bind(at(left.address(), 0));
            final SelectionKey key = one.configureBlocking(false).register(selector, OP_READ);
            selector.wakeup();
            assertThat(selector.select()).isZero();
            assertThat(selector.select(1)).isZero();
            final Future<Integer> woken = executor.submit(() -> selector.select());
            selector.wakeup();
            assertThat(woken.get(30, TimeUnit.SECONDS)).isZero();
            key.cancel();
            assertThat(selector.keys()).containsExactly(key);
            selector.selectNow();
            assertThat(selector.keys()).isEmpty();
            final SelectionKey again = one.register(selector, OP_READ | OP_WRITE);
            assertThat(selector.select()).isEqualTo(1);
            assertThat(again.readyOps()).isEqualTo(OP_WRITE);
            again.interestOps(OP_READ);
            selector.selectedKeys().clear();
            assertThat(selector.selectNow()).isZero();
            final Future<Integer> closed = executor.submit(() -> selector.select());
            selector.close();
            // Whether it had begun to wait or not, it ends.
            while (!closed.isDone()) {
                Thread.onSpinWait();
            }
            assertThat(again.isValid()).isFalse();
            assertThat(one.isRegistered()).isFalse();
            one.close();
        }
    }

    /** The longest timeout of {@code select} is longer than nanoseconds can say. */
    @Test
    void aTimeoutIsRoundedUpHoweverLongItIs() {
        assertThat(RdpSelector.millis(1)).isEqualTo(1);
        assertThat(RdpSelector.millis(1_000_000)).isEqualTo(1);
        assertThat(RdpSelector.millis(1_000_001)).isEqualTo(2);
        assertThat(RdpSelector.millis(TimeUnit.MILLISECONDS.toNanos(Long.MAX_VALUE)))
                .isEqualTo(Long.MAX_VALUE / 1_000_000 + 1);
    }

    /** The JDK's selector drops its key first, and leaves the descriptor to the key that goes last: ours. */
    @Test
    void aChannelThatIsClosedWhileSelectedIsGivenUp() throws Exception {
        try (Selector selector = provider.openSelector(); var executor = Executors.newSingleThreadExecutor()) {
            final Pipe pipe = provider.openPipe();
            pipe.sink().configureBlocking(false).register(selector, 0);
            final Future<Integer> selecting = executor.submit(() -> selector.select());
            pipe.sink().close();
            selector.wakeup();
            selecting.get(30, TimeUnit.SECONDS);
            assertThat(selector.selectNow()).isZero();
            assertThat(pipe.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
            pipe.source().close();
        }
    }
}
