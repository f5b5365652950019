package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.completion.DatagramSource;
import io.vhca.rdp.lane.PortListener;
import io.vhca.rdp.memory.RegisteredMemory;
import io.vhca.rdp.memory.Registrar;
import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.ControlFlyweight;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Two engines whose connections are queues in memory: each keeps its order, and which of them goes on is drawn. A
 * message that meets no posted receive is an error at once. One thread, virtual time.
 */
final class EnginePair implements AutoCloseable {
    static final long MS = 1_000_000L;

    private static final int KEY = 77;
    private static final int REMOTE_KEY = 78;

    final Node left;
    final Node right;
    long nowNs = 1_000;
    /** Messages that were delivered to an engine. */
    int delivered;
    boolean isCut;
    /** What both say of themselves when they connect. */
    boolean readsBatches = true;

    private final Arena arena = Arena.ofShared();
    private final SplittableRandom random;

    /**
     * @param place        where a write goes, 0 for a send
     * @param hasImmediate a send with immediate data
     * @param number       immediate data
     */
    private record Message(
            Buffer buffer, int lane, int lengthBytes, long place, int rkey, boolean hasImmediate, int number) {}

    EnginePair(final long seed, final RdpConfig config) {
        random = new SplittableRandom(seed);
        left = new Node("10.0.0.1", config);
        right = new Node("10.0.0.2", config);
    }

    Node other(final Node node) {
        return node == left ? right : left;
    }

    /** One engine, and its ends of the connections. */
    final class Node implements Transport {
        final RdpEngine engine;
        final InetAddress address;
        private final List<ArrayDeque<Message>> sent = new ArrayList<>();
        private final List<ArrayDeque<Buffer>> receives = new ArrayList<>();
        private boolean isAsking;
        /** A connection whose messages stay on their way; none below 0. */
        int heldLane = -1;
        /** Whether more buffers can be made. */
        boolean hasMemory = true;
        /** Whether memory of the application can be registered. */
        boolean canRegister = true;
        /** Of the application's memory: ever made, and there now. */
        int registrations;
        int registered;
        private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[1 << 20]);
        private final DatagramSource source = new DatagramSource();

        private Node(final String name, final RdpConfig config) {
            address = InetAddress.ofLiteral(name);
            for (int lane = 0; lane < config.lanes(); lane++) {
                sent.add(new ArrayDeque<>());
                receives.add(new ArrayDeque<>());
            }
            engine = new RdpEngine(config, address, this, this::memory, this::register, nowNs);
        }

        private RegisteredMemory.@Nullable Chunk memory(final long lengthBytes) {
            return !hasMemory ? null : new RegisteredMemory.Chunk(arena.allocate(lengthBytes, 64).address(), 0);
        }

        private Registrar.@Nullable Registered register(
                final long at, final long lengthBytes, final boolean isWritable) {
            if (!canRegister) {
                return null;
            }
            registrations++;
            registered++;
            return new Registrar.Registered() {
                @Override
                public int lkey() {
                    return KEY;
                }

                @Override
                public int rkey() {
                    return isWritable ? REMOTE_KEY : 0;
                }

                @Override
                public void close() {
                    registered--;
                }
            };
        }

        Peer peer() {
            return engine.nodes().peer(other(this).address);
        }

        Port bind(final int port) {
            return bind(port, () -> {});
        }

        /** @param writable hears when it may be worth to send again */
        Port bind(final int port, final Runnable writable) {
            return engine.ports().bind(port, new PortListener() {
                @Override
                public void onReadable() {
                    // Tests look themselves.
                }

                @Override
                public void onWritable() {
                    writable.run();
                }

                @Override
                public void onCompleted() {
                    // Tests look themselves.
                }
            });
        }

        OutFlow flow(final Port port, final int destination) {
            return engine.ports().flow(port, new InetSocketAddress(other(this).address, destination));
        }

        /** A datagram with a number in it, if there is room. */
        SendResult send(final OutFlow flow, final int number, final int lengthBytes) {
            if (lengthBytes >= Integer.BYTES) {
                bytes.putInt(0, number);
                bytes.putInt(lengthBytes - Integer.BYTES, number);
            }
            return engine.sender().send(flow, bytes, 0, lengthBytes);
        }

        /** The same from native memory, in place. */
        SendResult sendInPlace(final OutFlow flow, final MemorySegment from, final long token) {
            return engine.sender().sendInPlace(flow, from.address(), (int) from.byteSize(), token);
        }

        /** The same into memory that the other end offered. */
        SendResult sendDirected(
                final OutFlow flow, final MemorySegment from, final long tag, final long token) {
            return engine.directedSender().send(flow, from.address(), (int) from.byteSize(), tag, token);
        }

        /** The next datagram's bytes, null for none. */
        byte @Nullable [] receive(final Port port) {
            final int length = engine.ports().receive(port, bytes, 0, bytes.capacity(), source);
            if (length < 0) {
                return null;
            }
            final byte[] datagram = new byte[length];
            bytes.getBytes(0, datagram);
            return datagram;
        }

        int number(final Port port) {
            final byte[] datagram = receive(port);
            return datagram == null ? -1 : ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder()).getInt();
        }

        /** How long the messages are that are on their way by a connection. */
        List<Integer> onTheWay(final int lane) {
            return sent.get(lane).stream().map(Message::lengthBytes).toList();
        }

        /** Which of them have immediate data. */
        List<Boolean> saying(final int lane) {
            return sent.get(lane).stream().map(Message::hasImmediate).toList();
        }

        @Nullable InetSocketAddress lastSource() {
            return source.address();
        }

        @Override
        public void connect(final Peer peer) {
            isAsking = true;
        }

        @Override
        public void disconnect(final Peer peer) {
            isAsking = false;
            sent.forEach(ArrayDeque::clear);
            receives.forEach(ArrayDeque::clear);
            final Node peerNode = other(this);
            if (!peerNode.sent.isEmpty() && peerNode.peer().state() != PeerState.IDLE) {
                peerNode.engine.nodes().onDown(peerNode.peer());
            }
        }

        @Override
        public boolean send(final Peer peer, final int lane, final Buffer buffer, final int messageBytes) {
            sent.get(lane).add(new Message(
                    buffer, lane, messageBytes, 0, 0, buffer.hasImmediate(), buffer.immediate()));
            return true;
        }

        @Override
        public boolean write(
                final Peer peer, final int lane, final Buffer buffer, final long place, final int rkey,
                final int number) {
            sent.get(lane).add(new Message(buffer, lane, buffer.gatherBytes(), place, rkey, false, number));
            return true;
        }

        /** A message that was never sent, of a node that does what it may not. */
        void forge(final int lane, final Buffer buffer, final int number) {
            engine.arrivals().onPlaced(peer(), lane, buffer, 1, number);
        }

        /** The same with one record about flows or memory. */
        void forgeControl(
                final int kind, final int sourcePort, final int destinationPort, final int id, final long sequence) {
            final Buffer receive = takeReceive(0);
            new MessageFlyweight()
                    .wrap(receive.address())
                    .write(MessageDescriptor.CONTROL, (byte) 0, 0, 0, ControlDescriptor.SIZE, 0)
                    .grants(0, 0);
            new ControlFlyweight()
                    .wrap(receive.payloadAddress())
                    .write(kind, sourcePort, destinationPort, id, sequence);
            engine.arrivals().onReceived(peer(), 0, receive, MessageDescriptor.SIZE + ControlDescriptor.SIZE);
        }

        @Override
        public boolean receive(final Peer peer, final int lane, final Buffer buffer) {
            receives.get(lane).add(buffer);
            return true;
        }

        /** As if something had arrived in it. */
        Buffer takeReceive(final int lane) {
            return receives.get(lane).remove();
        }

        private void answer() {
            isAsking = false;
            final Node peerNode = other(this);
            if (isCut || peerNode.peer().state() != PeerState.IDLE && !peerNode.isAsking) {
                return;
            }
            if (!peerNode.isAsking) {
                peerNode.engine.nodes().onConnecting(peerNode.peer());
            }
            // Where both called, one of the calls goes on.
            peerNode.isAsking = false;
            final RdpConfig config = engine.config();
            for (int lane = 0; lane < sent.size(); lane++) {
                for (final Node node : List.of(this, peerNode)) {
                    node.engine.nodes().onHello(
                            node.peer(), lane, config.dataRecvBuffers(), config.ctrlRecvBuffers(), readsBatches);
                    node.engine.nodes().fill(node.peer(), lane);
                }
            }
            engine.nodes().onUp(peer());
            peerNode.engine.nodes().onUp(peerNode.peer());
        }

        /** Hands the oldest message of a drawn lane over; false where none is on its way. */
        boolean deliver() {
            final List<ArrayDeque<Message>> ready =
                    sent.stream().filter(queue -> !queue.isEmpty() && queue.peek().lane != heldLane).toList();
            if (ready.isEmpty() || isCut) {
                return false;
            }
            final Message message = ready.get(random.nextInt(ready.size())).remove();
            final Node to = other(this);
            final Buffer receive = to.receives.get(message.lane).poll();
            if (receive == null) {
                throw new AssertionError("a SEND met an empty receive queue, lane " + message.lane);
            }
            if (message.place != 0) {
                assertThat(message.rkey).isEqualTo(REMOTE_KEY);
                assertThat(message.buffer.gatherLkey()).isEqualTo(KEY);
                NativeMemory.copy(message.buffer.gatherAddress(), message.place, message.lengthBytes);
                delivered++;
                engine.arrivals().onSent(message.buffer);
                to.engine.arrivals().onPlaced(to.peer(), message.lane, receive, message.lengthBytes, message.number);
                return true;
            }
            final int own = message.lengthBytes - message.buffer.gatherBytes();
            NativeMemory.copy(message.buffer.messageAddress(), receive.address(), own);
            if (message.buffer.gatherBytes() > 0) {
                assertThat(message.buffer.gatherLkey()).isEqualTo(KEY);
                NativeMemory.copy(
                        message.buffer.gatherAddress(), receive.address() + own, message.buffer.gatherBytes());
            }
            delivered++;
            engine.arrivals().onSent(message.buffer);
            if (message.hasImmediate) {
                to.engine.arrivals().onImmediate(
                        to.peer(), message.lane, receive, message.lengthBytes, message.number);
            } else {
                to.engine.arrivals().onReceived(to.peer(), message.lane, receive, message.lengthBytes);
            }
            return true;
        }
    }

    /** A flow that is open: one datagram was sent for that, and is not taken. */
    OutFlow open(final Node from, final Port port, final int destination) {
        final OutFlow flow = from.flow(port, destination);
        from.send(flow, 0, 0);
        for (int i = 0; i < 1_000 && flow.state() != OutFlow.State.OPEN; i++) {
            step();
        }
        assertThat(flow.state()).isEqualTo(OutFlow.State.OPEN);
        return flow;
    }

    /** Opens a flow from left, and takes the datagrams that did. */
    void open(final OutFlow wanted, final Port target) {
        for (int i = 0; i < 1_000 && wanted.state() != OutFlow.State.OPEN; i++) {
            left.send(wanted, 0, 0);
            step();
        }
        assertThat(wanted.state()).isEqualTo(OutFlow.State.OPEN);
        run(50);
        while (right.receive(target) != null) {
            // What opened it.
        }
    }

    /** A drawn number of messages goes on, then both engines have a turn. */
    void step() {
        for (final Node node : List.of(left, right)) {
            if (node.isAsking) {
                node.answer();
            }
        }
        for (int i = random.nextInt(8); i > 0; i--) {
            if (!(random.nextBoolean() ? left : right).deliver()) {
                i = Math.min(i, 2);
            }
        }
        left.engine.doWork(nowNs);
        right.engine.doWork(nowNs);
        nowNs += 1 + random.nextInt(100_000);
    }

    void run(final int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
    }

    @Override
    public void close() {
        left.engine.close();
        right.engine.close();
        arena.close();
    }
}
