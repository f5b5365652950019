package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vhca.api.NativeMemory;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.completion.DatagramSource;
import io.vhca.rdp.lane.PortListener;
import io.vhca.rdp.memory.RegisteredMemory;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import org.agrona.collections.IntArrayQueue;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Send, receive and the turns between them allocate nothing once a destination was used. */
class HotPathTest {
    private static final int WARM_UP = 100_000;
    private static final int MEASURED = 50_000;
    private static final int LENGTH = 1_100;

    private final Arena arena = Arena.ofShared();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Wire left = new Wire("10.0.0.1");
    private final Wire right = new Wire("10.0.0.2");
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[LENGTH]);
    private final DatagramSource source = new DatagramSource();
    private long nowNs = 1;

    @AfterEach
    void close() {
        arena.close();
    }

    private static final class Deaf implements PortListener {
        @Override
        public void onReadable() {
            // Nobody waits.
        }

        @Override
        public void onWritable() {
            // Nobody waits.
        }

        @Override
        public void onCompleted() {
            // Nobody waits.
        }
    }

    /** Connections that hand each message over when they are asked to. */
    private final class Wire implements Transport {
        private final RdpEngine engine;
        private final ArrayDeque<Buffer> sent = new ArrayDeque<>();
        private final IntArrayQueue lengths = new IntArrayQueue();
        private final IntArrayQueue lanes = new IntArrayQueue();
        private final ArrayDeque<Buffer>[] receives;

        @SuppressWarnings({"unchecked", "rawtypes"})
        private Wire(final String name) {
            receives = new ArrayDeque[RdpConfig.DEFAULT.lanes()];
            for (int lane = 0; lane < receives.length; lane++) {
                receives[lane] = new ArrayDeque<>();
            }
            engine = new RdpEngine(
                    RdpConfig.DEFAULT, InetAddress.ofLiteral(name), this,
                    length -> new RegisteredMemory.Chunk(arena.allocate(length, 64).address(), 0),
                    (address, length, isWritable) -> null, 1);
        }

        @Override
        public void connect(final Peer peer) {
            // Both ends are joined by hand.
        }

        @Override
        public void disconnect(final Peer peer) {
            throw new AssertionError("nothing ends here");
        }

        @Override
        public boolean send(final Peer peer, final int lane, final Buffer buffer, final int messageBytes) {
            lanes.addInt(lane);
            lengths.addInt(messageBytes);
            return sent.add(buffer);
        }

        @Override
        public boolean write(
                final Peer peer, final int lane, final Buffer buffer, final long at, final int rkey,
                final int number) {
            throw new UnsupportedOperationException("nothing is offered");
        }

        @Override
        public boolean receive(final Peer peer, final int lane, final Buffer buffer) {
            return receives[lane].add(buffer);
        }

        private void handOver(final Wire to, final Peer atThatEnd) {
            for (Buffer buffer = sent.poll(); buffer != null; buffer = sent.poll()) {
                final int lane = lanes.pollInt();
                final int length = lengths.pollInt();
                final Buffer receive = to.receives[lane].remove();
                NativeMemory.copy(buffer.messageAddress(), receive.address(), length);
                final boolean hasImmediate = buffer.hasImmediate();
                final int immediate = buffer.immediate();
                engine.arrivals().onSent(buffer);
                if (hasImmediate) {
                    to.engine.arrivals().onImmediate(atThatEnd, lane, receive, length, immediate);
                } else {
                    to.engine.arrivals().onReceived(atThatEnd, lane, receive, length);
                }
            }
        }
    }

    private void join(final Wire one, final Peer other) {
        if (other.state() == PeerState.IDLE) {
            one.engine.nodes().onConnecting(other);
        }
        for (int lane = 0; lane < RdpConfig.DEFAULT.lanes(); lane++) {
            one.engine.nodes().onHello(
                    other, lane, RdpConfig.DEFAULT.dataRecvBuffers(), RdpConfig.DEFAULT.ctrlRecvBuffers(), true);
            assertThat(one.engine.nodes().fill(other, lane)).isTrue();
        }
        one.engine.nodes().onUp(other);
    }

    private void turn(final Peer rightAtLeft, final Peer leftAtRight) {
        nowNs += 100_000;
        left.handOver(right, leftAtRight);
        right.handOver(left, rightAtLeft);
        left.engine.doWork(nowNs);
        right.engine.doWork(nowNs);
    }

    @Test
    void allocatesNothing() {
        final Port from = left.engine.ports().bind(1, new Deaf());
        final Port to = right.engine.ports().bind(2, new Deaf());
        final OutFlow flow = left.engine.ports().flow(from, new InetSocketAddress(right.engine.address(), 2));
        final Peer rightAtLeft = left.engine.nodes().peer(right.engine.address());
        final Peer leftAtRight = right.engine.nodes().peer(left.engine.address());
        left.engine.sender().send(flow, bytes, 0, 1);
        join(left, rightAtLeft);
        join(right, leftAtRight);
        while (!flow.isOpen()) {
            turn(rightAtLeft, leftAtRight);
        }
        run(flow, to, rightAtLeft, leftAtRight, WARM_UP);
        final long before = threads.getCurrentThreadAllocatedBytes();
        final int received = run(flow, to, rightAtLeft, leftAtRight, MEASURED);
        final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(received).isEqualTo(MEASURED);
        assertThat(allocated).as("bytes for %d datagrams", MEASURED).isLessThan(MEASURED / 10);
    }

    private int run(
            final OutFlow flow, final Port to, final Peer rightAtLeft, final Peer leftAtRight, final int count) {
        int sent = 0;
        int received = 0;
        while (received < count) {
            while (sent < count && left.engine.sender().send(flow, bytes, 0, sent % LENGTH) == SendResult.SENT) {
                sent++;
            }
            turn(rightAtLeft, leftAtRight);
            while (right.engine.ports().receive(to, bytes, 0, LENGTH, source) >= 0) {
                received++;
            }
        }
        return received;
    }
}
