package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.ServiceClass;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.memory.SoftMr;
import io.vhca.physical.soft.engine.queue.SoftCq;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Two devices on a {@link TestLink}, each with a connected RC QP and a registered buffer, on virtual time. */
final class TestPair implements AutoCloseable {
    static final int BUFFER = 64 * 1024;
    static final int ALL_ACCESS = AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;
    static final Gid GID_A = v4(0x7f000001);
    static final Gid GID_B = v4(0x7f000002);

    /** What the connection is made with. */
    static final class Options {
        SoftNicConfig config = new SoftNicConfig();
        Gid gidA = GID_A;
        Gid gidB = GID_B;
        Mtu mtu = Mtu.MTU_256;
        int psnA = 100;
        int psnB = 0xabcdef;
        int timeout = 14;
        int retryCnt = 3;
        int rnrRetry = 7;
        int minRnrTimer = 12;
        int maxRdAtomic = 4;
        int maxWr = 64;
        int cqe = 256;
        int accessB = ALL_ACCESS;
        int mrAccessB = ALL_ACCESS;
        boolean sqSigAll = true;
        boolean isConnected = true;
        int trafficClass;
    }

    /** One completion, copied out. */
    record Completion(long wrId, WcStatus status, int opcode, int byteLen, int immData, int flags, int qpNum,
            int srcQp) {}

    final Arena arena = Arena.ofConfined();
    final TestLink link;
    final Side a;
    final Side b;
    final Options options;
    long now = 1_000_000_000L;

    TestPair() {
        this(new Options());
    }

    TestPair(final Options options) {
        this.options = options;
        link = new TestLink(options.gidA, options.gidB);
        a = new Side("softA", 1, link.a, ALL_ACCESS);
        b = new Side("softB", 2, link.b, options.mrAccessB);
        if (options.isConnected) {
            connect(a.qp, options.gidB, b.qp.qpNum(), options.psnA, options.psnB, ALL_ACCESS);
            connect(b.qp, options.gidA, a.qp.qpNum(), options.psnB, options.psnA, options.accessB);
        }
        run();
    }

    static Gid v4(final int ip) {
        return new Gid(0, 0xffff_0000_0000L | Integer.toUnsignedLong(ip));
    }

    void connect(
            final SoftQp qp, final Gid peer, final int peerQp, final int sqPsn, final int rqPsn, final int access) {
        qp.modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(1)
                .accessFlags(access));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(ServiceClass.ofTos(options.trafficClass).to(peer, 0, 1))
                .pathMtu(options.mtu)
                .destQpNum(peerQp)
                .rqPsn(rqPsn)
                .maxDestRdAtomic(options.maxRdAtomic)
                .minRnrTimer(options.minRnrTimer));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(options.timeout)
                .retryCnt(options.retryCnt)
                .rnrRetry(options.rnrRetry)
                .sqPsn(sqPsn)
                .maxRdAtomic(options.maxRdAtomic));
    }

    /** What an RC queue pair of that side is created with. */
    QpInitAttributes rc(final Side side) {
        return new QpInitAttributes(
                side.sendCq,
                side.recvCq,
                null,
                new QpCapabilities(options.maxWr, options.maxWr, 4, 4, 64),
                QpType.RC,
                options.sqSigAll);
    }

    /** Works until nothing moves, without letting time pass. */
    void run() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = a.nic.doWork(now) + b.nic.doWork(now) > 0
                    || a.nic.hasWork()
                    || b.nic.hasWork()
                    || !link.isQuiet()
                    || link.flushHeld();
        }
    }

    /** Works, and lets time pass from deadline to deadline, until nothing is left to wait for. */
    void settle() {
        run();
        for (int i = 0; i < 10_000; i++) {
            final long next = Math.min(a.nic.nextDeadlineNs(), b.nic.nextDeadlineNs());
            if (next == Long.MAX_VALUE) {
                return;
            }
            now = Math.max(now, next);
            run();
        }
        throw new AssertionError("still busy after 10,000 deadlines");
    }

    @Override
    public void close() {
        a.close();
        b.close();
        link.a.close();
        link.b.close();
        arena.close();
    }

    /** One device and its objects. */
    final class Side implements NicEvents, AutoCloseable {
        final SoftNic nic;
        final SoftPd pd;
        final SoftCq sendCq;
        final SoftCq recvCq;
        final SoftQp qp;
        final MemorySegment memory;
        final SoftMr mr;
        final List<AsyncEvent> events = new ArrayList<>();
        final List<byte[]> mads = new ArrayList<>();
        final List<Integer> firstRequests = new ArrayList<>();
        int cqEvents;
        /** Runs inside the engine whenever it reports something. */
        Runnable onReport = () -> {};
        final SendWorkRequest send = SendWorkRequest.allocate(arena, 8);
        final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 8);
        private final WorkCompletion wc = WorkCompletion.allocate(arena, 16);

        Side(final String name, final long guid, final TestLink.End end, final int mrAccess) {
            nic = new SoftNic(name, guid, end, options.config.seed(guid), this);
            pd = nic.allocPd(null);
            sendCq = nic.createCq(null, options.cqe, null, null);
            recvCq = nic.createCq(null, options.cqe, null, null);
            memory = arena.allocate(BUFFER, 64);
            mr = pd.regMr(memory, mrAccess);
            qp = pd.createQp(rc(this));
        }

        long addr(final int offset) {
            return memory.address() + offset;
        }

        /** A signaled request over one element of the buffer. */
        SendWorkRequest request(final WrOpcode opcode, final long wrId, final int offset, final int lengthBytes) {
            return send.wrId(wrId)
                    .next(0)
                    .opcode(opcode)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(addr(offset), lengthBytes, mr.lkey());
        }

        void post(final SendWorkRequest wr) {
            final int result = qp.postSend(wr);
            if (result != 1) {
                throw new AssertionError("postSend answered " + result);
            }
        }

        void postRecv(final long wrId, final int offset, final int lengthBytes) {
            final int result = qp.postRecv(recv.wrId(wrId).next(0).sge(addr(offset), lengthBytes, mr.lkey()));
            if (result != 1) {
                throw new AssertionError("postRecv answered " + result);
            }
        }

        void fill(final int offset, final int lengthBytes, final int salt) {
            for (int i = 0; i < lengthBytes; i++) {
                NativeMemory.putByte(addr(offset + i), (byte) (i * 31 + (i >>> 8) + salt));
            }
        }

        byte[] bytes(final int offset, final int lengthBytes) {
            return memory.asSlice(offset, lengthBytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        }

        List<Completion> pollSends() {
            return poll(sendCq);
        }

        List<Completion> pollReceives() {
            return poll(recvCq);
        }

        List<Completion> poll(final SoftCq cq) {
            final List<Completion> all = new ArrayList<>();
            for (int n = cq.poll(wc); n != 0; n = cq.poll(wc)) {
                if (n < 0) {
                    throw new AssertionError("poll answered " + n);
                }
                for (int i = 0; i < n; i++) {
                    wc.at(i);
                    all.add(new Completion(
                            wc.wrId(),
                            wc.statusName(),
                            wc.opcode(),
                            wc.byteLen(),
                            wc.immData(),
                            wc.wcFlags(),
                            wc.qpNum(),
                            wc.srcQp()));
                }
            }
            return all;
        }

        List<AsyncEventType> eventTypes() {
            return events.stream().map(AsyncEvent::type).toList();
        }

        long count(final NicCounter counter) {
            return nic.counters().get(counter);
        }

        @Override
        public void asyncEvent(final AsyncEvent event) {
            events.add(event);
            onReport.run();
        }

        @Override
        public void firstRequest(final int qpNum) {
            firstRequests.add(qpNum);
        }

        @Override
        public void cqEvent(final CompletionQueue cq) {
            cqEvents++;
            onReport.run();
        }

        @Override
        public void mad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
            onReport.run();
            mads.add(NativeMemory.segment(madAddress, 256).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
        }

        @Override
        public void close() {
            qp.close();
            mr.close();
            sendCq.close();
            recvCq.close();
            pd.close();
            nic.close();
        }
    }
}
