package io.vhca.rdp.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a channel and its socket do as those of the JDK: modes, keys, interrupts, packets, groups. */
class RdpDatagramChannelTest {
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

    private static InetSocketAddress at(final InetAddress address) {
        return new InetSocketAddress(address, 0);
    }

    private DatagramChannel udp(final int last) throws IOException {
        return provider.openDatagramChannel().bind(at(Drivers.own(last)));
    }

    /** In no network of a device. */
    private DatagramChannel plain() throws IOException {
        return provider.openDatagramChannel().bind(at(InetAddress.ofLiteral("127.0.0.1")));
    }

    private interface Call {
        void on(DatagramChannel channel) throws IOException;
    }

    private static void isClosedByAnInterrupt(final DatagramChannel channel, final Call call) {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> call.on(channel)).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoIsInterruptedInACallClosesTheChannel() throws IOException {
        isClosedByAnInterrupt(udp(91), channel -> channel.receive(ByteBuffer.allocate(10)));
        isClosedByAnInterrupt(udp(92), channel -> channel.send(ByteBuffer.allocate(10), channel.getLocalAddress()));
        isClosedByAnInterrupt(udp(93), channel -> channel.socket().receive(new DatagramPacket(new byte[10], 10)));
        isClosedByAnInterrupt(
                provider.openDatagramChannel().bind(at(left.address())),
                channel -> channel.socket().receive(new DatagramPacket(new byte[10], 10)));
    }

    /** What comes for a key that nobody drops ends every sleep of the selector at once. */
    @Test
    void aSelectionEndsWhereAKeyIsCancelledThatBecomesReady() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor();
                Selector selector = provider.openSelector();
                DatagramChannel channel = udp(94);
                DatagramSocket plain = new DatagramSocket()) {
            final SelectionKey key = channel.configureBlocking(false).register(selector, OP_READ);
            final CompletableFuture<Thread> began = new CompletableFuture<>();
            final Future<Integer> selecting = executor.submit(() -> {
                began.complete(Thread.currentThread());
                return selector.select();
            });
            while (!Stacks.isIn(began.get(), "doSelect")) {
                Thread.onSpinWait();
            }
            key.cancel();
            plain.send(new DatagramPacket(new byte[4], 4, channel.getLocalAddress()));
            assertThat(selecting.get(30, TimeUnit.SECONDS)).isZero();
            assertThat(selector.keys()).isEmpty();
        }
    }

    /** Who changes the mode waits for who receives; a send and a close wait for neither. */
    @Test
    @Timeout(60)
    void aChannelWhoseModeIsBeingChangedIsClosed() throws Exception {
        final CompletableFuture<Thread> receiver = new CompletableFuture<>();
        final CompletableFuture<Thread> changer = new CompletableFuture<>();
        final ExecutorService executor = Executors.newCachedThreadPool();
        final DatagramChannel channel = udp(96);
        try {
            final Future<Object> received = executor.submit(() -> {
                receiver.complete(Thread.currentThread());
                return channel.receive(ByteBuffer.allocate(10));
            });
            while (!Stacks.isIn(receiver.get(), "receive0", "park")) {
                Thread.onSpinWait();
            }
            final Future<Object> changed = executor.submit(() -> {
                changer.complete(Thread.currentThread());
                return channel.configureBlocking(false);
            });
            while (!Stacks.isIn(changer.get(), "park")) {
                Thread.onSpinWait();
            }
            final InetSocketAddress target = new InetSocketAddress(Drivers.own(97), 9);
            final Future<Integer> sent = executor.submit(() -> channel.send(ByteBuffer.allocate(7), target));
            assertThat(sent.get()).isEqualTo(7);
            executor.submit(() -> {
                channel.close();
                return null;
            }).get();
            assertThatThrownBy(received::get).hasCauseInstanceOf(AsynchronousCloseException.class);
            assertThatThrownBy(changed::get).hasCauseInstanceOf(ClosedChannelException.class);
        } finally {
            channel.close();
            executor.close();
        }
    }

    @Test
    void aScatteringReadIsRefusedBeforeADatagramIsTaken() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            one.bind(at(left.address()));
            two.bind(at(right.address()));
            one.connect(two.getLocalAddress());
            two.connect(one.getLocalAddress());
            two.write(ByteBuffer.allocate(7));
            final ByteBuffer[] targets = {ByteBuffer.allocate(4), ByteBuffer.allocate(4).asReadOnlyBuffer()};
            assertThatThrownBy(() -> one.read(targets))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("buffer 1 is read-only");
            assertThat(targets[0].position()).isZero();
            assertThat(one.read(ByteBuffer.allocate(10))).isEqualTo(7);
        }
    }

    @Test
    void aGatheringWriteOfMoreThanAnIntCountsIsTooLong() throws IOException {
        // Nobody looks at its bytes.
        final ByteBuffer large = MemorySegment.NULL.reinterpret(1 << 30).asByteBuffer();
        try (DatagramChannel one = provider.openDatagramChannel()) {
            one.bind(at(left.address()));
            one.connect(at(right.address()));
            for (final int count : List.of(2, 5)) {
                final ByteBuffer[] sources = Collections.nCopies(count, large).toArray(ByteBuffer[]::new);
                assertThatThrownBy(() -> one.write(sources))
                        .isInstanceOf(SocketException.class)
                        .hasMessage("a datagram of " + ((long) count << 30) + " bytes is too long");
            }
        }
    }

    /** The kernel says no more of a channel that has become one of reliable datagrams. */
    @Test
    void aChannelThatUdpRefusedIsWritableOnceItIsConnectedByRdp() throws IOException {
        try (Selector selector = provider.openSelector();
                DatagramChannel channel = provider.openDatagramChannel();
                DatagramChannel target = other.openDatagramChannel().bind(at(right.address()))) {
            channel.configureBlocking(false);
            ((RdpDatagramChannel) channel).ends().kernelRefused();
            channel.connect(target.getLocalAddress());
            channel.register(selector, OP_WRITE);
            assertThat(selector.select(10_000)).isEqualTo(1);
        }
    }

    /** A key that was not ready is looked at again when something happens: that the kernel takes is something. */
    @Test
    void aKeyIsLookedAtWhenTheKernelTakesAgain() throws IOException {
        try (Selector selector = provider.openSelector(); DatagramChannel channel = provider.openDatagramChannel()) {
            final MixedKey key = (MixedKey) channel.configureBlocking(false).register(selector, OP_READ);
            assertThat(selector.selectNow()).isZero();
            assertThat(key.queue()).as("it does not wait to be looked at").isTrue();
            key.unqueue();
            final ChannelEnds ends = ((RdpDatagramChannel) channel).ends();
            ends.kernelRefused();
            ends.kernelTakes();
            assertThat(key.queue()).as("it waits already").isFalse();
        }
    }

    @Test
    void aCancelledKeyComesBackToNoSelector() throws IOException {
        try (Selector selector = provider.openSelector(); DatagramChannel channel = udp(95)) {
            final SelectionKey key = channel.configureBlocking(false).register(selector, OP_READ);
            final Selector inner = ((RdpSelector) selector).inner();
            assertThat(inner.keys()).hasSize(1);
            key.cancel();
            selector.selectNow();
            ((MixedKey) key).refresh(); // by who walks the keys of the channel meanwhile
            assertThat(inner.keys()).isEmpty();
            channel.configureBlocking(true);
        }
    }

    /** The UDP channel has a key still where the channel has none. */
    @Test
    void aChannelWhoseKeyWasCancelledIsConnectedInItsMode() throws IOException {
        try (Selector selector = provider.openSelector();
                DatagramChannel target = provider.openDatagramChannel();
                DatagramChannel channel = provider.openDatagramChannel()) {
            target.bind(at(InetAddress.ofLiteral("127.0.0.1")));
            channel.configureBlocking(false).register(selector, OP_READ).cancel();
            channel.configureBlocking(true);
            channel.connect(target.getLocalAddress());
            channel.write(ByteBuffer.allocate(4));
            assertThat(target.receive(ByteBuffer.allocate(10))).isEqualTo(channel.getLocalAddress());
            target.send(ByteBuffer.allocate(4), channel.getLocalAddress());
            assertThat(channel.receive(ByteBuffer.allocate(10))).as("it blocks").isEqualTo(target.getLocalAddress());
        }
    }

    @Test
    void whereAnOptionIsRefusedNoPortIsKept() throws IOException {
        final InetSocketAddress own = new InetSocketAddress(left.address(), 4_001);
        try (DatagramChannel channel = provider.openDatagramChannel()) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, 0);
            assertThatThrownBy(() -> channel.bind(own)).isInstanceOf(IllegalArgumentException.class);
            assertThat(left.status().sockets()).isEmpty();
            channel.setOption(StandardSocketOptions.SO_SNDBUF, 10_000).bind(own);
        }
    }

    @Test
    void aPacketTakesAsMuchAsItsLengthSaysHoweverOftenItIsUsed() throws IOException {
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel()) {
            one.bind(at(left.address()));
            two.bind(at(right.address()));
            final byte[] data = new byte[10];
            final DatagramPacket packet = new DatagramPacket(data, 1, 5);
            assertThat(received(two, one, packet, 3)).isEqualTo(3);
            assertThat(received(two, one, packet, 8)).as("as at first").isEqualTo(5);
            assertThat(data).containsExactly(0, 1, 1, 1, 1, 1, 0, 0, 0, 0);
            packet.setLength(4);
            assertThat(received(two, one, packet, 8)).isEqualTo(4);
            packet.setData(new byte[6]);
            assertThat(received(two, one, packet, 8)).isEqualTo(6);
        }
    }

    private static int received(
            final DatagramChannel from, final DatagramChannel to, final DatagramPacket into, final int lengthBytes)
            throws IOException {
        final ByteBuffer datagram = ByteBuffer.allocate(lengthBytes);
        while (datagram.hasRemaining()) {
            datagram.put((byte) 1);
        }
        from.send(datagram.flip(), to.getLocalAddress());
        to.socket().receive(into);
        return into.getLength();
    }

    /** Its datagrams come from the address that the node calls its own. */
    @Test
    @Timeout(60)
    void whatAnswersByAnotherNameOfItsNodeIsWhatTheChannelIsConnectedTo() throws IOException {
        final InetAddress alias = Drivers.own(98);
        try (DatagramChannel one = provider.openDatagramChannel();
                DatagramChannel two = other.openDatagramChannel();
                DatagramChannel third = other.openDatagramChannel()) {
            two.bind(at(right.address()));
            third.bind(at(right.address()));
            final InetSocketAddress named =
                    new InetSocketAddress(alias, ((InetSocketAddress) two.getLocalAddress()).getPort());
            one.connect(named);
            left.inside(engine -> {
                engine.nodes().onNamed(engine.nodes().peer(alias), right.address());
                return engine;
            });
            one.write(ByteBuffer.allocate(7));
            final SocketAddress back = two.receive(ByteBuffer.allocate(10));
            third.send(ByteBuffer.allocate(5), back);
            two.send(ByteBuffer.allocate(6), back);
            final ByteBuffer answer = ByteBuffer.allocate(10);
            assertThat(one.receive(answer)).isEqualTo(named);
            assertThat(answer.position()).as("not what another socket there has sent").isEqualTo(6);
        }
    }

    @Test
    void aSocketSaysItAsSocketsDo() throws IOException {
        final DatagramChannel channel = provider.openDatagramChannel().bind(at(left.address()));
        final DatagramSocket socket = channel.socket();
        final DatagramPacket packet = new DatagramPacket(new byte[4], 4, new InetSocketAddress(right.address(), 7));
        channel.connect(new InetSocketAddress(right.address(), 6));
        assertThatThrownBy(() -> socket.send(packet)).isInstanceOf(IllegalArgumentException.class);
        channel.close();
        assertThatThrownBy(() -> socket.send(packet))
                .isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.receive(packet)).isInstanceOf(SocketException.class);
    }

    /** As a socket of UDP: that it was connected before is no mistake, and what is one is a SocketException. */
    @Test
    void aSocketMovesToAnotherPeer() throws IOException {
        final DatagramSocket socket = provider.openDatagramChannel().socket();
        try (DatagramChannel one = plain();
                DatagramChannel two = plain()) {
            socket.connect(one.getLocalAddress());
            socket.connect(two.getLocalAddress());
            assertThat(socket.getRemoteSocketAddress()).isEqualTo(two.getLocalAddress());
            socket.send(new DatagramPacket(new byte[3], 3));
            assertThat(two.receive(ByteBuffer.allocate(8))).isNotNull();
            assertThatThrownBy(() -> socket.bind(at(Drivers.own(98))))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Already bound");
            assertThatThrownBy(() -> socket.connect((InetAddress) null, 7))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> socket.connect(InetSocketAddress.createUnresolved("nobody", 7)))
                    .isInstanceOf(SocketException.class);
            socket.close();
            socket.connect(one.getLocalAddress()); // its next call says it
        }
    }

    @Test
    void anOptionOfAReliableChannelIsWhatItWas() throws IOException {
        try (DatagramChannel channel = provider.openDatagramChannel()) {
            channel.setOption(StandardSocketOptions.IP_TOS, 8);
            final List<SocketOption<?>> options = List.of(
                    StandardSocketOptions.IP_TOS, StandardSocketOptions.IP_MULTICAST_TTL,
                    StandardSocketOptions.IP_MULTICAST_LOOP, StandardSocketOptions.SO_REUSEADDR);
            final List<Object> before = new ArrayList<>();
            for (final SocketOption<?> option : options) {
                before.add(channel.getOption(option));
            }
            channel.bind(at(left.address()));
            final List<Object> after = new ArrayList<>();
            for (final SocketOption<?> option : options) {
                after.add(channel.getOption(option));
            }
            assertThat(after).isEqualTo(before).containsExactly(8, 1, true, false);
        }
    }

    @Test
    void whoIsInterruptedSendsNothing() throws IOException {
        try (DatagramChannel plain = plain();
                DatagramChannel reliable = other.openDatagramChannel().bind(at(right.address()))) {
            final SocketAddress byUdp = plain.getLocalAddress();
            isClosedByAnInterrupt(provider.openDatagramChannel(), one -> one.send(ByteBuffer.allocate(7), byUdp));
            final SocketAddress byRdp = reliable.getLocalAddress();
            isClosedByAnInterrupt(
                    provider.openDatagramChannel().bind(at(left.address())),
                    one -> one.send(ByteBuffer.allocate(7), byRdp));
            plain.configureBlocking(false);
            assertThat(plain.receive(ByteBuffer.allocate(10))).isNull();
        }
    }

    @Test
    void aMembershipIsOneOfTheChannel() throws IOException {
        final InetAddress group = InetAddress.ofLiteral("239.1.2.3");
        final NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramChannel channel = provider.openDatagramChannel().bind(null)) {
            final MembershipKey key = channel.join(group, loopback);
            assertThat(key.channel()).isSameAs(channel);
            assertThat(key.group()).isEqualTo(group);
            assertThat(channel.join(group, loopback)).isSameAs(key);
            key.drop();
            assertThat(key.isValid()).isFalse();
            assertThat(channel.join(group, loopback)).isNotSameAs(key);
        }
    }

    @Test
    @Timeout(60)
    void aSocketJoinsAndLeavesGroups() throws IOException {
        final InetSocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("239.1.2.4"), 0);
        final NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramChannel channel = provider.openDatagramChannel(StandardProtocolFamily.INET).bind(null);
                DatagramSocket sender = new DatagramSocket()) {
            final DatagramSocket socket = channel.socket();
            sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
            final DatagramPacket packet = new DatagramPacket(
                    new byte[] {7}, 1, new InetSocketAddress(group.getAddress(), socket.getLocalPort()));
            socket.joinGroup(group, loopback);
            sender.send(packet);
            final DatagramPacket came = new DatagramPacket(new byte[10], 10);
            socket.receive(came);
            assertThat(came.getLength()).isEqualTo(1);
            assertThat(came.getPort()).isEqualTo(sender.getLocalPort());
            assertThatThrownBy(() -> socket.joinGroup(group, loopback))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Already a member of group");
            final MembershipKey key = channel.join(group.getAddress(), loopback);
            socket.leaveGroup(group, loopback);
            assertThat(key.isValid()).isFalse();
            assertThatThrownBy(() -> socket.leaveGroup(group, loopback))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Not a member of group");
            assertThat(channel.join(group.getAddress(), loopback)).isNotSameAs(key);
            assertThatThrownBy(() -> socket.joinGroup(sender.getLocalSocketAddress(), loopback))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Not a multicast address");
        }
    }

    @Test
    void aReliableSocketSaysWhyItJoinsNoGroup() throws IOException {
        final SocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("239.1.2.4"), 0);
        final DatagramChannel channel = provider.openDatagramChannel().bind(at(left.address()));
        final DatagramSocket socket = channel.socket();
        assertThatThrownBy(() -> socket.joinGroup(group, null))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("a reliable datagram socket, which cannot join the group 239.1.2.4");
        assertThatThrownBy(() -> socket.leaveGroup(group, null))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("a reliable datagram socket");
        channel.close();
        assertThatThrownBy(() -> socket.joinGroup(group, null))
                .isInstanceOf(SocketException.class)
                .hasMessage("Socket is closed");
    }
}
