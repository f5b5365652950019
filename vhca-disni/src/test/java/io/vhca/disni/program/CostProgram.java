package io.vhca.disni.program;

import com.ibm.disni.RdmaEndpoint;
import com.ibm.disni.RdmaEndpointGroup;
import com.ibm.disni.RdmaPassiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.impl.NatIbvCQ;
import com.ibm.disni.verbs.impl.NatIbvQP;
import io.vhca.api.CompletionQueue;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** What a post and a poll take: RDMA WRITEs of 64 bytes, one at a time. */
public final class CostProgram {
    private static final int TIMEOUT_MS = 60_000;
    /** How long DiSNI's threads wait at a time, and so how long closing a group takes. */
    private static final int TURN_MS = 50;
    private static final int BYTES = 64;

    private CostProgram() {}

    // As such programs are written: what init makes is there before anybody asks.
    @SuppressWarnings("NullAway.Init")
    private static final class End extends RdmaEndpoint {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        private IbvMr region;
        private SVCPollCq poll;

        End(final RdmaEndpointGroup<End> group, final RdmaCmId id, final boolean isServer) throws IOException {
            super(group, id, isServer);
        }

        @Override
        protected synchronized void init() throws IOException {
            super.init();
            region = registerMemory(memory).execute().free().getMr();
            poll = getCqProvider().getCQ().poll(new IbvWC[] {new IbvWC()}, 1);
        }
    }

    private static RdmaPassiveEndpointGroup<End> group() throws IOException {
        final RdmaPassiveEndpointGroup<End> group = new RdmaPassiveEndpointGroup<>(TURN_MS, 10, 4, 20);
        group.init((id, isServer) -> new End(group, id, isServer));
        return group;
    }

    /**
     * Serves one client.
     *
     * @param memory told the address and the key of what may be written
     * @param over   counted down when the client is gone
     */
    public static void serve(
            final InetSocketAddress address, final Runnable listening, final Consumer<long[]> memory,
            final CountDownLatch over)
            throws Exception {
        final RdmaPassiveEndpointGroup<End> group = group();
        final RdmaServerEndpoint<End> server = group.createServerEndpoint();
        server.bind(address, 10);
        listening.run();
        final End end = server.accept();
        memory.accept(new long[] {end.region.getAddr(), end.region.getRkey()});
        over.await();
        end.close();
        server.close();
        group.close();
    }

    /**
     * A client that measures, in turn, by DiSNI's stateful calls and by the calls of vhca-api below them, on the same
     * queues.
     *
     * @param told address and key of what may be written, once the server has taken the connection
     * @return by round, nanoseconds: of a post and a poll by DiSNI, and by vhca-api; of a poll that finds nothing by
     *     DiSNI, and by vhca-api
     */
    public static double[][] ask(
            final InetSocketAddress address, final Future<long[]> told, final int rounds, final int times)
            throws Exception {
        final RdmaPassiveEndpointGroup<End> group = group();
        final End end = group.createEndpoint();
        end.connect(address, TIMEOUT_MS);
        final long[] target = told.get();
        final LinkedList<IbvSendWR> list = Buffers.send(
                1, IbvSendWR.IBV_WR_RDMA_WRITE, end.region.getAddr(), BYTES, end.region.getLkey());
        list.getFirst().getRdma().setRemote_addr(target[0]);
        list.getFirst().getRdma().setRkey((int) target[1]);
        final SVCPostSend post = end.postSend(list);
        final QueuePair qp = (QueuePair) below(((NatIbvQP) end.getQp()).getObjId());
        final Object cqUse = below(((NatIbvCQ) end.getCqProvider().getCQ()).getObjId());
        final CompletionQueue cq = (CompletionQueue) accessible(cqUse.getClass(), "queue").get(cqUse);
        final double[][] figures = new double[rounds][4];
        try (Arena arena = Arena.ofConfined()) {
            final long wr = SendWorkRequest.allocate(arena, 1)
                    .opcode(WrOpcode.RDMA_WRITE)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(end.region.getAddr(), BYTES, end.region.getLkey())
                    .rdma(target[0], (int) target[1])
                    .address();
            final long wc = WorkCompletion.allocate(arena, 1).address();
            for (int round = -2; round < rounds; round++) {
                final double[] of = {
                    byDisni(post, end.poll, times),
                    byApi(qp, wr, cq, wc, times),
                    emptyByDisni(end.poll, times),
                    emptyByApi(cq, wc, times),
                };
                if (round >= 0) {
                    figures[round] = of;
                }
            }
        }
        end.close();
        group.close();
        return figures;
    }

    private static double byDisni(final SVCPostSend post, final SVCPollCq poll, final int times) throws IOException {
        final long startNs = System.nanoTime();
        for (int i = 0; i < times; i++) {
            post.execute();
            while (poll.execute().getPolls() == 0) {
                Thread.onSpinWait();
            }
        }
        return (double) (System.nanoTime() - startNs) / times;
    }

    private static double byApi(
            final QueuePair qp, final long wr, final CompletionQueue cq, final long wc, final int times) {
        final long startNs = System.nanoTime();
        for (int i = 0; i < times; i++) {
            qp.postSend(wr);
            while (cq.poll(wc, 1) == 0) {
                Thread.onSpinWait();
            }
        }
        return (double) (System.nanoTime() - startNs) / times;
    }

    private static double emptyByDisni(final SVCPollCq poll, final int times) throws IOException {
        final long startNs = System.nanoTime();
        for (int i = 0; i < times; i++) {
            poll.execute();
        }
        return (double) (System.nanoTime() - startNs) / times;
    }

    private static double emptyByApi(final CompletionQueue cq, final long wc, final int times) {
        final long startNs = System.nanoTime();
        for (int i = 0; i < times; i++) {
            final int none = cq.poll(wc, 1);
            assert none == 0;
        }
        return (double) (System.nanoTime() - startNs) / times;
    }

    /** What a handle of DiSNI stands for. */
    private static Object below(final long handle) throws ReflectiveOperationException {
        final Class<?> shared = Class.forName("io.vhca.disni.DisniDispatcher$Shared");
        final Object handles = accessible(shared, "handles").get(accessible(shared, "INSTANCE").get(null));
        final Method get = handles.getClass().getDeclaredMethod("get", long.class, Class.class);
        get.setAccessible(true);
        return get.invoke(handles, handle, Object.class);
    }

    private static Field accessible(final Class<?> of, final String name) throws NoSuchFieldException {
        final Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
