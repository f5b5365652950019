package io.vhca.harness.interop;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/** One RC queue pair and its memory, as an end of a test of perftest. One thread. */
final class PerftestEnd implements AutoCloseable {
    /** Sends on their way at a time. */
    private static final int DEPTH = 16;

    private static final int BUFFER_BYTES = 1 << 20;
    private static final int OUTSTANDING_READS = 1;
    private static final int PSN = 0x235bfb;
    private static final int PORT = 1;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(40);
    private static final int ACCESS = AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;

    private final Context device;
    private final int receives;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final MemoryRegion mr;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);

    /** @param receives that the queue pair has room for */
    PerftestEnd(final Context device, final int receives) {
        this.device = device;
        this.receives = receives;
        pd = device.allocPd();
        mr = pd.regMr(arena.allocate(BUFFER_BYTES, 4096), ACCESS);
        cq = device.createCq(DEPTH + receives + 1, null, null);
        qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, receives + 1, 1, 1, 0)));
        qp.modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(PORT)
                .accessFlags(ACCESS & ~AccessFlags.LOCAL_WRITE));
    }

    Mtu mtu() {
        return device.queryPort(PORT).activeMtu();
    }

    PerftestTalk.Keys keys() {
        final Gid gid = device.ipGid(PORT);
        return new PerftestTalk.Keys(
                OUTSTANDING_READS, qp.qpNum(), PSN, mr.rkey(), mr.addr(), gid.subnetPrefix(), gid.interfaceId());
    }

    void connect(final PerftestTalk.Keys peer, final Mtu mtu) {
        final Gid gid = new Gid(peer.gidHigh(), peer.gidLow());
        qp.modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(new AhAttributes(gid, device.ipGidIndex(PORT), 0, 0, PORT))
                .pathMtu(mtu)
                .destQpNum(peer.qpNum())
                .rqPsn(peer.psn())
                .maxDestRdAtomic(OUTSTANDING_READS)
                .minRnrTimer(12));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(18)
                .retryCnt(7)
                .rnrRetry(7)
                .sqPsn(PSN)
                .maxRdAtomic(OUTSTANDING_READS));
    }

    void postReceives(final int sizeBytes) throws IOException {
        for (int i = 0; i < receives; i++) {
            posted(qp.postRecv(recv.wrId(i).sge(mr.addr(), sizeBytes, mr.lkey())));
        }
    }

    /** Waits until all receives are complete. */
    void awaitReceives() throws IOException {
        for (int i = 0; i < receives; i++) {
            await();
        }
    }

    /** So many operations on the peer's memory, or messages to it. */
    void run(final WrOpcode opcode, final PerftestTalk.Keys peer, final int sizeBytes, final int count)
            throws IOException {
        final boolean isAtomic = opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
        send.opcode(opcode).sendFlags(SendFlags.SIGNALED).sge(mr.addr(), isAtomic ? Long.BYTES : sizeBytes, mr.lkey());
        if (isAtomic) {
            send.atomic(peer.address(), peer.rkey(), 1, 0);
        } else if (opcode != WrOpcode.SEND) {
            send.rdma(peer.address(), peer.rkey());
        }
        long before = 0;
        int underway = 0;
        for (int i = 0; i < count; i++) {
            posted(qp.postSend(send.wrId(i)));
            underway++;
            if (underway == (isAtomic ? 1 : DEPTH)) {
                await();
                underway--;
            }
            if (isAtomic) {
                final long value = NativeMemory.getLong(mr.addr());
                if (i > 0 && value != before + 1) {
                    throw new IOException("an atomic found " + value + " where " + before + " had been made one more");
                }
                before = value;
            }
        }
        for (; underway > 0; underway--) {
            await();
        }
    }

    private static void posted(final int result) throws IOException {
        if (result != 1) {
            throw new IOException("a work request was refused: " + result);
        }
    }

    private void await() throws IOException {
        final long startNs = System.nanoTime();
        int count = cq.poll(wc);
        while (count == 0) {
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new IOException("no completion");
            }
            Thread.yield();
            count = cq.poll(wc);
        }
        if (count < 0 || wc.status() != 0) {
            throw new IOException("completed with " + (count < 0 ? "an error of its queue" : wc.statusName()));
        }
    }

    @Override
    public void close() {
        qp.close();
        cq.close();
        mr.close();
        pd.close();
        arena.close();
    }
}
