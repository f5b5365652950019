package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.memory.SoftMr;
import io.vhca.physical.soft.engine.queue.SoftCq;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that post to one QP and poll one CQ and run the engine while they do: nothing is lost, doubled or left lying,
 * and what one thread posts keeps its order. No agent thread helps.
 */
class InlineThreadsTest {
    private static final int POSTERS = 2;
    private static final int MESSAGES = 5_000;
    private static final int DEPTH = 32;

    /** A carrier between threads. */
    private static final class Pipe implements Carrier {
        private final Gid address;
        private final Queue<byte[]> inbox = new ConcurrentLinkedQueue<>();
        private final MemorySegment memory = Arena.ofAuto().allocate(8192, 64);
        private Pipe peer = this;

        Pipe(final Gid address) {
            this.address = address;
        }

        @Override
        public Gid address() {
            return address;
        }

        @Override
        public int sourcePort() {
            return 50_000;
        }

        @Override
        public int maxPacketBytes() {
            return 4096 + 64;
        }

        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public boolean reaches(final Gid destination) {
            return true;
        }

        @Override
        public int route(final Destination destination) {
            return 0;
        }

        @Override
        public void release(final int route) {
            // There is one route.
        }

        @Override
        public boolean send(final int route, final long packetAddress, final int lengthBytes) {
            peer.inbox.add(NativeMemory.segment(packetAddress, lengthBytes).toArray(ValueLayout.JAVA_BYTE));
            return true;
        }

        @Override
        public void flush() {
            // Packets leave at once.
        }

        @Override
        public int receive(final PacketHandler handler, final int limit) {
            int count = 0;
            while (count < limit) {
                final byte[] packet = inbox.poll();
                if (packet == null) {
                    break;
                }
                MemorySegment.copy(packet, 0, memory, ValueLayout.JAVA_BYTE, 0, packet.length);
                handler.onPacket(
                        peer.address.subnetPrefix(), peer.address.interfaceId(), 50_000, 0, memory.address(),
                        packet.length);
                count++;
            }
            return count;
        }

        @Override
        public void close() {
            inbox.clear();
        }
    }

    private static final class Node implements NicEvents {
        final List<AsyncEvent> events = new ArrayList<>();
        final SoftNic nic;
        final SoftPd pd;
        final SoftCq cq;
        final SoftQp qp;
        final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
        final SoftMr mr;

        Node(final String name, final long guid, final Pipe pipe) {
            nic = new SoftNic(
                    name, guid, pipe, new SoftNicConfig().seed(guid).inlineClock(System::nanoTime), this);
            pd = nic.allocPd(null);
            // A slot of the send queue is free once its request completed, polled or not: the CQ must hold them all.
            cq = nic.createCq(null, 2 * POSTERS * MESSAGES, null, null);
            mr = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
            qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 16)));
        }

        void connect(final Gid peer, final int peerQp) {
            qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTR)
                    .ah(AhAttributes.to(peer))
                    .pathMtu(Mtu.MTU_1024)
                    .destQpNum(peerQp)
                    .rqPsn(0)
                    .maxDestRdAtomic(0)
                    .minRnrTimer(1));
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTS)
                    .timeout(18)
                    .retryCnt(7)
                    .rnrRetry(7)
                    .sqPsn(0)
                    .maxRdAtomic(0));
        }

        @Override
        public void asyncEvent(final AsyncEvent event) {
            synchronized (events) {
                events.add(event);
            }
        }

        @Override
        public void firstRequest(final int qpNum) {
            // Nobody connects by a connection manager.
        }

        @Override
        public void cqEvent(final CompletionQueue completed) {
            throw new AssertionError("nobody armed " + completed);
        }

        @Override
        public void mad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
            throw new AssertionError("nobody sent a MAD");
        }
    }

    @Test
    @Timeout(60)
    void postersAndPollersShareTheEngine() throws InterruptedException, ExecutionException {
        final Pipe pipeA = new Pipe(TestPair.GID_A);
        final Pipe pipeB = new Pipe(TestPair.GID_B);
        pipeA.peer = pipeB;
        pipeB.peer = pipeA;
        final Node a = new Node("a", 1, pipeA);
        final Node b = new Node("b", 2, pipeB);
        a.connect(TestPair.GID_B, b.qp.qpNum());
        b.connect(TestPair.GID_A, a.qp.qpNum());
        final AtomicInteger completed = new AtomicInteger();
        final AtomicLong received = new AtomicLong();
        final AtomicIntegerArray nextOf = new AtomicIntegerArray(POSTERS);
        final AtomicBoolean isOutOfOrder = new AtomicBoolean();
        final int total = POSTERS * MESSAGES;
        try (ExecutorService pool = Executors.newCachedThreadPool()) {
            final List<Future<?>> threads = new ArrayList<>();
            for (int p = 0; p < POSTERS; p++) {
                threads.add(pool.submit(poster(a, p)));
                threads.add(pool.submit(poller(a, completed, total)));
            }
            threads.add(pool.submit(receiver(b, received, nextOf, isOutOfOrder, total)));
            try {
                for (final Future<?> thread : threads) {
                    thread.get();
                }
            } finally {
                pool.shutdownNow();
            }
        }
        assertThat(completed.get()).isEqualTo(total);
        assertThat(received.get()).isEqualTo(total);
        assertThat(isOutOfOrder).isFalse();
        assertThat(a.events).isEmpty();
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    /** Each message carries its poster and its number, inline. */
    private static Callable<Void> poster(final Node node, final int poster) {
        return () -> {
            try (Arena arena = Arena.ofConfined()) {
                final MemorySegment data = arena.allocate(8, 8);
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.INLINE | SendFlags.SIGNALED)
                        .sge(data.address(), 8, 0);
                for (int i = 0; i < MESSAGES; i++) {
                    data.set(ValueLayout.JAVA_LONG, 0, (long) poster << Integer.SIZE | i);
                    while (node.qp.postSend(wr) != 1 && !Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                }
            }
            return null;
        };
    }

    private static Callable<Void> poller(final Node node, final AtomicInteger completed, final int total) {
        return () -> {
            try (Arena arena = Arena.ofConfined()) {
                final WorkCompletion wc = WorkCompletion.allocate(arena, 4);
                while (completed.get() < total && !Thread.currentThread().isInterrupted()) {
                    final int count = node.cq.poll(wc);
                    assertThat(count).isNotNegative();
                    for (int i = 0; i < count; i++) {
                        assertThat(wc.at(i).status()).isZero();
                    }
                    completed.addAndGet(count);
                }
            }
            return null;
        };
    }

    private static Callable<Void> receiver(
            final Node node,
            final AtomicLong received,
            final AtomicIntegerArray nextOf,
            final AtomicBoolean isOutOfOrder,
            final int total) {
        return () -> {
            try (Arena arena = Arena.ofConfined()) {
                final RecvWorkRequest wr = RecvWorkRequest.allocate(arena, 1);
                final WorkCompletion wc = WorkCompletion.allocate(arena, DEPTH);
                for (int i = 0; i < DEPTH; i++) {
                    wr.wrId(i).sge(node.memory.address() + 8L * i, 8, node.mr.lkey());
                    assertThat(node.qp.postRecv(wr)).isEqualTo(1);
                }
                while (received.get() < total && !Thread.currentThread().isInterrupted()) {
                    final int count = node.cq.poll(wc);
                    for (int i = 0; i < count; i++) {
                        final long slot = wc.at(i).wrId();
                        final long message = NativeMemory.getLong(node.memory.address() + 8L * slot);
                        final int poster = (int) (message >>> Integer.SIZE);
                        if (nextOf.getAndIncrement(poster) != (int) message) {
                            isOutOfOrder.set(true);
                        }
                        received.incrementAndGet();
                        wr.wrId(slot).sge(node.memory.address() + 8L * slot, 8, node.mr.lkey());
                        assertThat(node.qp.postRecv(wr)).isEqualTo(1);
                    }
                }
                // The last acknowledgements leave with the duty cycle of the last poll.
                node.cq.poll(wc);
            }
            return null;
        };
    }
}
