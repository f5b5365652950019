package io.vhca.harness.drill.protocol;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs with one protection domain, one completion queue, one region and, where asked for, one shared receive
 * queue; connected to as many of the other process. The work request id of a send is the queue pair's index beside the
 * request's number. One thread.
 */
public final class QpGroup implements AutoCloseable {
    private static final int DEPTH = 16;
    private static final int POLLED = 16;
    private static final int INDEX_SHIFT = 40;
    private static final int ACCESS =
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion mr;
    private final @Nullable SharedReceiveQueue srq;
    private final List<CmId> ids = new ArrayList<>();
    private final List<QueuePair> qps = new ArrayList<>();
    private final SendWorkRequest sendWr = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recvWr = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, POLLED);

    /**
     * A group without queue pairs.
     *
     * @param count       how many there will be
     * @param bytes       of the region
     * @param sharedSlots of the shared receive queue, 0 for none
     */
    public QpGroup(final Context context, final int count, final long bytes, final int sharedSlots) {
        this.context = context;
        channel = context.createEventChannel();
        pd = context.allocPd();
        cq = context.createCq(2 * DEPTH * count + sharedSlots, null, null);
        mr = pd.regMr(arena.allocate(bytes, 4096), ACCESS);
        srq = sharedSlots == 0 ? null : pd.createSrq(new SrqAttributes(sharedSlots, 1, 0));
    }

    /** Connects that many, one after the other. */
    public void connect(final InetSocketAddress peer, final int count) {
        while (qps.size() < count) {
            final CmId id = CmSteps.resolve(channel, CmPortSpace.TCP, peer);
            add(id);
            id.connect(ConnectParameters.of(new byte[0]));
            CmSteps.await(channel, CmEventType.ESTABLISHED);
        }
    }

    /**
     * Binds a listener to the device's own address, closed with the group.
     *
     * @return what the other process must know: where, and the region
     */
    public DrillLine listen() {
        final CmId listener = CmSteps.listen(context, channel, CmPortSpace.TCP);
        ids.add(listener);
        final InetSocketAddress address = listener.localAddress();
        if (address == null) {
            throw new IllegalStateException("a bound id has an address");
        }
        return DrillLine.of(
                "listening",
                "host", address.getAddress().getHostAddress(),
                "port", address.getPort(),
                "address", address(),
                "rkey", rkey());
    }

    /** Accepts that many, and waits until they stand. The next one may ask before the one before it stands. */
    public void accept(final int count) {
        for (int standing = 0; standing < count; ) {
            final CmEvent event = CmSteps.next(channel, CmEventType.ESTABLISHED);
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    add(event.id());
                    event.id().accept(ConnectParameters.of(new byte[0]));
                }
                case ESTABLISHED -> standing++;
                default -> throw CmSteps.unexpected(event, CmEventType.ESTABLISHED);
            }
        }
    }

    private void add(final CmId id) {
        ids.add(id);
        final QpCapabilities depth = new QpCapabilities(DEPTH, srq == null ? DEPTH : 0, 1, 1, 0);
        qps.add(id.createQp(pd, new QpInitAttributes(cq, cq, srq, depth, QpType.RC, false)));
    }

    public QueuePair qp(final int index) {
        return qps.get(index);
    }

    public int size() {
        return qps.size();
    }

    /** Start of the region. */
    public long address() {
        return mr.addr();
    }

    int rkey() {
        return mr.rkey();
    }

    /** Index of the queue pair with that number. */
    public int indexOf(final int qpNum) {
        for (int i = 0; i < qps.size(); i++) {
            if (qps.get(i).qpNum() == qpNum) {
                return i;
            }
        }
        throw new IllegalStateException("no queue pair 0x" + Integer.toHexString(qpNum));
    }

    /** Polls; the completions are {@code at(0)} and following. */
    public int poll() {
        final int count = cq.poll(wc);
        if (count < 0) {
            throw new VerbsException("pollCq", -count, "drill", "the completion queue is in error");
        }
        return count;
    }

    /** @throws IllegalStateException when it is no success */
    public WorkCompletion at(final int i) {
        final WorkCompletion one = wc.at(i);
        if (one.status() != 0) {
            throw new IllegalStateException("a request of qp 0x" + Integer.toHexString(one.qpNum())
                    + " completed with " + one.statusName() + ", vendor 0x" + Integer.toHexString(one.vendorErr()));
        }
        return one;
    }

    /** The queue pair of a send's completion. */
    public static int qpOf(final long wrId) {
        return (int) (wrId >>> INDEX_SHIFT);
    }

    public void send(final int qp, final long number, final long address, final int lengthBytes) {
        prepared(qp, number, WrOpcode.SEND, address, lengthBytes);
        post(qp);
    }

    public void read(
            final int qp, final long number, final long into, final int lengthBytes, final long from, final int rkey) {
        prepared(qp, number, WrOpcode.RDMA_READ, into, lengthBytes).rdma(from, rkey);
        post(qp);
    }

    public void write(
            final int qp, final long number, final long from, final int lengthBytes, final long into, final int rkey) {
        prepared(qp, number, WrOpcode.RDMA_WRITE, from, lengthBytes).rdma(into, rkey);
        post(qp);
    }

    public void atomic(
            final int qp, final WrOpcode opcode, final long into, final long at, final int rkey, final long operand,
            final long swap) {
        prepared(qp, 0, opcode, into, Long.BYTES).atomic(at, rkey, operand, swap);
        post(qp);
    }

    private SendWorkRequest prepared(
            final int qp, final long number, final WrOpcode opcode, final long address, final int lengthBytes) {
        return sendWr.wrId((long) qp << INDEX_SHIFT | number)
                .opcode(opcode)
                .sendFlags(SendFlags.SIGNALED)
                .sge(address, lengthBytes, mr.lkey());
    }

    private void post(final int qp) {
        refused("postSend", qps.get(qp).postSend(sendWr));
    }

    /** Posts to the shared queue where there is one. */
    public void receive(final int qp, final long wrId, final long address, final int lengthBytes) {
        recvWr.wrId(wrId).sge(address, lengthBytes, mr.lkey());
        refused("postRecv", srq == null ? qps.get(qp).postRecv(recvWr) : srq.postRecv(recvWr));
    }

    private static void refused(final String verb, final int result) {
        if (result < 0) {
            throw new VerbsException(verb, -result, "drill", "the request was refused");
        }
    }

    @Override
    public void close() {
        ids.forEach(CmId::close);
        if (srq != null) {
            srq.close();
        }
        cq.close();
        mr.close();
        pd.close();
        channel.close();
        arena.close();
    }
}
