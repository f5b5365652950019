package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every opcode moves its bytes, and completes as it should. */
abstract class DataConformance {
    private static final int[] SIZES = {0, 1, 3, 256, 1023, 1024, 1025, 4095, 4096, 4097, 65_536, 1_000_003};
    private static final int FAR = 2 << 20;

    private final DevicePair devices;

    DataConformance(final DevicePair devices) {
        this.devices = devices;
    }

    private static void expectSuccess(final Completion completion, final long wrId, final WcOpcode opcode) {
        assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(completion.opcode()).isEqualTo(opcode.code());
    }

    @Test
    void sendsOfEverySizeArrive() {
        try (Link link = new Link(devices)) {
            for (final int size : SIZES) {
                link.client.fill(0, size, size);
                assertThat(link.server.postRecv(link.serverQp, size, 0, size)).isEqualTo(1);
                assertThat(link.clientQp.postSend(
                                link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, size + 1L, 0, size)))
                        .isEqualTo(1);
                expectSuccess(Completion.await(link.client.sendCq), size + 1L, WcOpcode.SEND);
                final Completion received = Completion.await(link.server.recvCq);
                expectSuccess(received, size, WcOpcode.RECV);
                assertThat(received.byteLen()).isEqualTo(size);
                assertThat(received.qpNum()).isEqualTo(link.serverQp.qpNum());
                assertThat(received.flags() & WcFlags.WITH_IMM).isZero();
                assertThat(link.server.holds(0, size, size)).isTrue();
            }
        }
    }

    @Test
    void immediateDataArrives() {
        try (Link link = new Link(devices)) {
            link.client.fill(0, 5000, 1);
            link.server.postRecv(link.serverQp, 1, 0, 5000);
            link.clientQp.postSend(link.client
                    .request(WrOpcode.SEND_WITH_IMM, SendFlags.SIGNALED, 2, 0, 5000)
                    .immData(0x01020304));
            expectSuccess(Completion.await(link.client.sendCq), 2, WcOpcode.SEND);
            final Completion received = Completion.await(link.server.recvCq);
            expectSuccess(received, 1, WcOpcode.RECV);
            assertThat(received.immData()).isEqualTo(0x01020304);
            assertThat(received.flags() & WcFlags.WITH_IMM).isEqualTo(WcFlags.WITH_IMM);
            assertThat(link.server.holds(0, 5000, 1)).isTrue();
        }
    }

    @Test
    void writesAndReadsOfEverySizeTouchRemoteMemoryAlone() {
        try (Link link = new Link(devices)) {
            for (final int size : SIZES) {
                link.client.fill(0, size, size + 1);
                link.clientQp.postSend(link.client
                        .request(WrOpcode.RDMA_WRITE, SendFlags.SIGNALED, 1, 0, size)
                        .rdma(link.server.address(0), link.server.region.rkey()));
                expectSuccess(Completion.await(link.client.sendCq), 1, WcOpcode.RDMA_WRITE);
                link.clientQp.postSend(link.client
                        .request(WrOpcode.RDMA_READ, SendFlags.SIGNALED, 2, FAR, size)
                        .rdma(link.server.address(0), link.server.region.rkey()));
                final Completion read = Completion.await(link.client.sendCq);
                expectSuccess(read, 2, WcOpcode.RDMA_READ);
                assertThat(read.byteLen()).isEqualTo(size);
                assertThat(link.server.holds(0, size, size + 1)).isTrue();
                assertThat(link.client.holds(FAR, size, size + 1)).isTrue();
            }
            assertThat(Completion.poll(link.server.recvCq)).isNull();
            assertThat(Completion.poll(link.server.sendCq)).isNull();
        }
    }

    @Test
    void writeWithImmediateConsumesAReceiveAndNamesTheLength() {
        try (Link link = new Link(devices)) {
            for (final int size : new int[] {0, 17, 9000}) {
                link.client.fill(0, size, 7);
                link.server.postRecv(link.serverQp, 3, FAR, 0);
                link.clientQp.postSend(link.client
                        .request(WrOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, 4, 0, size)
                        .rdma(link.server.address(64), link.server.region.rkey())
                        .immData(size));
                expectSuccess(Completion.await(link.client.sendCq), 4, WcOpcode.RDMA_WRITE);
                final Completion received = Completion.await(link.server.recvCq);
                expectSuccess(received, 3, WcOpcode.RECV_RDMA_WITH_IMM);
                assertThat(received.byteLen()).isEqualTo(size);
                assertThat(received.immData()).isEqualTo(size);
                assertThat(link.server.holds(64, size, 7)).isTrue();
            }
        }
    }

    @Test
    void atomicsAnswerTheOldValueOrAreRefused() {
        try (Link link = new Link(devices)) {
            link.server.memory.set(ValueLayout.JAVA_LONG, 8, 40);
            final SendWorkRequest add = link.client
                    .request(WrOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, 1, 16, 8)
                    .atomic(link.server.address(8), link.server.region.rkey(), 2, 0);
            if (link.client.context.queryDevice().atomicCap() == AtomicCapability.NONE) {
                assertThat(link.clientQp.postSend(add)).isEqualTo(-Errno.EOPNOTSUPP);
                return;
            }
            assertThat(link.clientQp.postSend(add)).isEqualTo(1);
            expectSuccess(Completion.await(link.client.sendCq), 1, WcOpcode.FETCH_ADD);
            assertThat(link.client.memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(40);
            assertThat(link.server.memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
            for (final long expected : new long[] {42, 43}) {
                link.clientQp.postSend(link.client
                        .request(WrOpcode.ATOMIC_CMP_AND_SWP, SendFlags.SIGNALED, 2, 24, 8)
                        .atomic(link.server.address(8), link.server.region.rkey(), expected, 99));
                expectSuccess(Completion.await(link.client.sendCq), 2, WcOpcode.COMP_SWAP);
                assertThat(link.client.memory.get(ValueLayout.JAVA_LONG, 24)).isEqualTo(expected == 42 ? 42 : 99);
                assertThat(link.server.memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(99);
            }
        }
    }

    @Test
    void listsAreGatheredAndScattered() {
        try (Link link = new Link(devices)) {
            link.client.fill(0, 3000, 5);
            final int lkey = link.server.region.lkey();
            link.serverQp.postRecv(link.server
                    .recv
                    .next(0)
                    .wrId(1)
                    .sge(0, link.server.address(0), 100, lkey)
                    .sge(1, link.server.address(100), 1, lkey)
                    .sge(2, link.server.address(101), 4000, lkey)
                    .numSge(3));
            link.clientQp.postSend(link.client
                    .request(WrOpcode.SEND, SendFlags.SIGNALED, 2, 0, 0)
                    .sge(0, link.client.address(0), 1, link.client.region.lkey())
                    .sge(1, link.client.address(1), 2000, link.client.region.lkey())
                    .sge(2, link.client.address(2001), 0, link.client.region.lkey())
                    .sge(3, link.client.address(2001), 999, link.client.region.lkey())
                    .numSge(4));
            expectSuccess(Completion.await(link.client.sendCq), 2, WcOpcode.SEND);
            assertThat(Completion.await(link.server.recvCq).byteLen()).isEqualTo(3000);
            assertThat(link.server.holds(0, 3000, 5)).isTrue();
        }
    }

    @Test
    void inlineDataIsTakenAtThePostAndNeedsNoKey() {
        try (Link link = new Link(devices)) {
            final int length = Math.min(64, link.clientQp.capabilities().maxInlineData());
            link.server.postRecv(link.serverQp, 1, 0, 64);
            link.client.fill(0, length, 9);
            assertThat(link.clientQp.postSend(link.client
                            .request(WrOpcode.SEND, SendFlags.SIGNALED | SendFlags.INLINE, 2, 0, length)
                            .sge(link.client.address(0), length, 0xdead)))
                    .isEqualTo(1);
            link.client.fill(0, length, 77);
            expectSuccess(Completion.await(link.client.sendCq), 2, WcOpcode.SEND);
            expectSuccess(Completion.await(link.server.recvCq), 1, WcOpcode.RECV);
            assertThat(link.server.holds(0, length, 9)).isTrue();
        }
    }

    @Test
    void unsignaledSendsCompleteSilently() {
        try (Link link = new Link(devices)) {
            for (int i = 0; i < 11; i++) {
                link.server.postRecv(link.serverQp, i, 0, 64);
            }
            for (int i = 0; i < 11; i++) {
                link.clientQp.postSend(
                        link.client.request(WrOpcode.SEND, i == 10 ? SendFlags.SIGNALED : 0, i, 0, 8));
            }
            expectSuccess(Completion.await(link.client.sendCq), 10, WcOpcode.SEND);
            Completion.await(link.server.recvCq, 11);
            assertThat(Completion.poll(link.client.sendCq)).isNull();
        }
    }

    @Test
    void aQueueThatSignalsAllNeedsNoFlag() {
        try (Link link = new Link(devices, new Link.Options(true, 14, -1, ConnectParameters.of(new byte[0])))) {
            link.server.postRecv(link.serverQp, 1, 0, 64);
            link.clientQp.postSend(link.client.request(WrOpcode.SEND, 0, 2, 0, 8));
            expectSuccess(Completion.await(link.client.sendCq), 2, WcOpcode.SEND);
        }
    }

    @Test
    void aFencedSendCarriesWhatTheReadBeforeItBrought() {
        try (Link link = new Link(devices)) {
            link.server.fill(0, 20_000, 3);
            link.server.postRecv(link.serverQp, 1, FAR, 20_000);
            link.clientQp.postSend(link.client
                    .request(WrOpcode.RDMA_READ, 0, 2, 0, 20_000)
                    .rdma(link.server.address(0), link.server.region.rkey()));
            link.clientQp.postSend(
                    link.client.request(WrOpcode.SEND, SendFlags.SIGNALED | SendFlags.FENCE, 3, 0, 20_000));
            expectSuccess(Completion.await(link.client.sendCq), 3, WcOpcode.SEND);
            Completion.await(link.server.recvCq);
            assertThat(link.server.holds(FAR, 20_000, 3)).isTrue();
        }
    }

    @Test
    void chainsArePostedAsFarAsTheQueueHolds() {
        try (Link link = new Link(devices);
                Arena arena = Arena.ofConfined()) {
            final int depth = link.clientQp.capabilities().maxSendWr();
            final List<SendWorkRequest> chain = new ArrayList<>();
            for (int i = 0; i < depth + 2; i++) {
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1)
                        .wrId(i)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.SIGNALED)
                        .sge(link.client.address(0), 4, link.client.region.lkey());
                if (i > 0) {
                    chain.get(i - 1).next(wr.address());
                }
                chain.add(wr);
            }
            assertThat(link.clientQp.postSend(chain.getFirst())).isEqualTo(depth);
            assertThat(link.clientQp.postSend(chain.get(depth))).isEqualTo(-Errno.ENOMEM);
            for (int i = 0; i < depth; i++) {
                while (link.server.postRecv(link.serverQp, i, 0, 64) < 0) {
                    Completion.await(link.server.recvCq);
                }
            }
            final List<Completion> completions = Completion.await(link.client.sendCq, depth);
            for (int i = 0; i < depth; i++) {
                expectSuccess(completions.get(i), i, WcOpcode.SEND);
            }
        }
    }

    @Test
    void manyConnectionsWorkAtOnce() {
        try (Link link = new Link(devices)) {
            final List<CmId[]> connections = new ArrayList<>();
            for (int i = 0; i < 63; i++) {
                connections.add(link.connect());
            }
            for (int i = 0; i < connections.size(); i++) {
                link.client.fill(i * 4096, 4096, i);
                link.server.postRecv(Peer.qp(connections.get(i)[1]), i, i * 4096, 4096);
                Peer.qp(connections.get(i)[0])
                        .postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, i * 4096, 4096));
            }
            Completion.await(link.client.sendCq, connections.size())
                    .forEach(completion -> assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS));
            Completion.await(link.server.recvCq, connections.size());
            for (int i = 0; i < connections.size(); i++) {
                assertThat(link.server.holds(i * 4096, 4096, i)).as("connection %d", i).isTrue();
            }
        }
    }

    @Test
    void severalThreadsPostToOneQueue() throws InterruptedException {
        final int threads = 4;
        final int each = 200;
        try (Link link = new Link(devices)) {
            for (int i = 0; i < 64; i++) {
                link.server.postRecv(link.serverQp, i, FAR + i * 8, 8);
            }
            final List<Thread> posters = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                final int number = t;
                posters.add(Thread.ofPlatform().start(() -> post(link, link.clientQp, number, each)));
            }
            final int[] next = new int[threads];
            int sent = 0;
            for (int received = 0; received < threads * each; received++) {
                final Completion completion = Completion.await(link.server.recvCq);
                assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
                final long value = link.server.memory.get(ValueLayout.JAVA_LONG, FAR + completion.wrId() * 8);
                assertThat(value & 0xffff_ffffL).isEqualTo(next[(int) (value >>> 32)]++);
                final int slot = (int) completion.wrId();
                final RecvWorkRequest again = link.server.recv;
                link.serverQp.postRecv(again.next(0)
                        .wrId(slot)
                        .sge(link.server.address(FAR + slot * 8), 8, link.server.region.lkey()));
                while (Completion.poll(link.client.sendCq) != null) {
                    sent++;
                }
            }
            for (final Thread poster : posters) {
                poster.join();
            }
            Completion.await(link.client.sendCq, threads * each - sent);
        }
    }

    private static void post(final Link link, final QueuePair qp, final int thread, final int count) {
        try (Arena arena = Arena.ofConfined()) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED | SendFlags.INLINE);
            final var value = arena.allocate(ValueLayout.JAVA_LONG);
            for (int i = 0; i < count; i++) {
                value.set(ValueLayout.JAVA_LONG, 0, (long) thread << 32 | i);
                int posted = qp.postSend(wr.wrId(i).sge(value.address(), 8, 0));
                while (posted == -Errno.ENOMEM) {
                    Thread.onSpinWait();
                    posted = qp.postSend(wr);
                }
                if (posted != 1) {
                    throw new AssertionError("thread " + thread + " of " + link.client.context + ": " + posted);
                }
            }
        }
    }
}
