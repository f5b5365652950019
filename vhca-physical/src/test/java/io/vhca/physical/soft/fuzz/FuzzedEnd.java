package io.vhca.physical.soft.fuzz;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.SoftContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of a fuzzed pair: a connection whose messages are numbered, filled and checked, queue pairs that are victims,
 * and a listener whose application treats strangers' requests in every way there is. One thread.
 */
final class FuzzedEnd implements AutoCloseable {
    static final int PORT = 7471;
    static final int QKEY = 0x1234_5678;
    private static final int DEPTH = 8;
    private static final int SLOT = 2048;
    private static final int MOST_PENDING = 32;

    final SoftContext context;
    final Gid gid;
    final QueuePair victim;
    final QueuePair datagramVictim;
    private final SplittableRandom random;
    private final Arena arena = Arena.ofShared();
    private final CmEventChannel channel;
    private final CmId listener;
    private final ProtectionDomain pd;
    private final ProtectionDomain victimPd;
    private final CompletionQueue cq;
    private final CompletionQueue victimCq;
    private final MemoryRegion mr;
    private final MemoryRegion victimMr;
    private final long memory;
    private final long victimMemory;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 16);
    private final Deque<CmId> pending = new ArrayDeque<>();
    private final List<CmId> own = new ArrayList<>();
    private @Nullable AddressHandle ah;
    private @Nullable QueuePair qp;
    private @Nullable CmId id;
    private boolean isEstablished;
    private int inFlight;
    long sent;
    long received;
    long requests;

    FuzzedEnd(final SoftContext context, final long seed) {
        this.context = context;
        gid = context.queryGid(1, 0);
        random = new SplittableRandom(seed);
        channel = context.createEventChannel();
        pd = context.allocPd();
        victimPd = context.allocPd();
        cq = context.createCq(4 * DEPTH, null, null);
        victimCq = context.createCq(1024, null, null);
        final MemorySegment segment = arena.allocate(2L * DEPTH * SLOT, 64);
        memory = segment.address();
        mr = pd.regMr(segment, AccessFlags.LOCAL_WRITE);
        final MemorySegment victims = arena.allocate(64L * SLOT, 64);
        victimMemory = victims.address();
        victimMr = victimPd.regMr(
                victims,
                AccessFlags.LOCAL_WRITE
                        | AccessFlags.REMOTE_WRITE
                        | AccessFlags.REMOTE_READ
                        | AccessFlags.REMOTE_ATOMIC);
        final QpCapabilities cap = new QpCapabilities(16, 16, 1, 1, 0);
        victim = victimPd.createQp(new QpInitAttributes(victimCq, victimCq, null, cap, QpType.RC, true));
        datagramVictim = victimPd.createQp(new QpInitAttributes(victimCq, victimCq, null, cap, QpType.UD, true));
        listener = channel.createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(gid.address(), PORT));
        listener.listen(0);
    }

    // The connection.

    void connect(final Gid peer) {
        final CmId active = channel.createId(CmPortSpace.TCP, null);
        id = active;
        active.resolveAddr(null, new InetSocketAddress(peer.address(), PORT), 1000);
        active.resolveRoute(1000);
        prepare(active);
        active.connect(ConnectParameters.of(new byte[] {1}));
    }

    private void prepare(final CmId of) {
        own.add(of);
        qp = of.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        for (int i = 0; i < DEPTH; i++) {
            postRecv(i);
        }
    }

    private QueuePair qp() {
        return Objects.requireNonNull(qp);
    }

    boolean isEstablished() {
        return isEstablished;
    }

    private void postRecv(final int slot) {
        recv.wrId(slot).next(0).sge(memory + (long) (DEPTH + slot) * SLOT, SLOT, mr.lkey());
        require(qp().postRecv(recv) == 1);
    }

    /** Sends the next message where there is room; everything in it follows from its number. */
    void sendOne() {
        if (!isEstablished || inFlight == DEPTH / 2) {
            return;
        }
        final long at = memory + (sent % DEPTH) * SLOT;
        final int lengthBytes = lengthOf(sent);
        for (int i = 0; i < lengthBytes; i++) {
            NativeMemory.putByte(at + i, byteOf(sent, i));
        }
        require(qp().postSend(send.wrId(-1)
                        .next(0)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.SIGNALED)
                        .sge(at, lengthBytes, mr.lkey()))
                == 1);
        sent++;
        inFlight++;
    }

    private static int lengthOf(final long number) {
        return 1 + (int) (number * 37 % (SLOT - 1));
    }

    private static byte byteOf(final long number, final int offset) {
        return (byte) (number * 131 + offset * 7L + (offset >> 8));
    }

    /** Takes completions and events; throws where the connection's traffic is not what it must be. */
    void poll() {
        for (int n = cq.poll(wc); n != 0; n = cq.poll(wc)) {
            require(n > 0);
            for (int i = 0; i < n; i++) {
                wc.at(i);
                require(wc.statusName() == WcStatus.SUCCESS);
                if (wc.wrId() < 0) {
                    inFlight--;
                } else {
                    check((int) wc.wrId(), wc.byteLen());
                }
            }
        }
        while (victimCq.poll(wc) > 0) {
            // Whatever became of it.
        }
        while (context.getAsyncEvent(0) != null) {
            // The victims'.
        }
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            onEvent(event);
        }
    }

    private void check(final int slot, final int lengthBytes) {
        final long at = memory + (long) (DEPTH + slot) * SLOT;
        require(lengthBytes == lengthOf(received));
        for (int i = 0; i < lengthBytes; i++) {
            require(NativeMemory.getByte(at + i) == byteOf(received, i));
        }
        received++;
        postRecv(slot);
    }

    private void require(final boolean isRight) {
        if (!isRight) {
            throw new AssertionError(context + ": the traffic is not exact after " + received + " messages, " + wc);
        }
    }

    // Requests.

    private void onEvent(final CmEvent event) {
        final CmId of = event.id();
        switch (event.type()) {
            case CONNECT_REQUEST -> onRequest(event);
            case ESTABLISHED -> isEstablished |= of == id;
            case ADDR_RESOLVED, ROUTE_RESOLVED -> {
                // Nothing is waited for.
            }
            default -> {
                require(of != id);
                pending.remove(of);
                of.close();
            }
        }
    }

    /** The first is the peer's; strangers' are accepted with or without a queue pair, refused, or left waiting. */
    private void onRequest(final CmEvent event) {
        final CmId of = event.id();
        requests++;
        if (id == null) {
            id = of;
            prepare(of);
            of.accept(ConnectParameters.of(new byte[0]));
            return;
        }
        final int choice = random.nextInt(6);
        try {
            if (choice == 0) {
                of.createQp(victimPd, QpInitAttributes.rc(victimCq, victimCq, new QpCapabilities(1, 1, 1, 1, 0)));
                of.accept(ConnectParameters.of(new byte[0]));
            } else if (choice == 1) {
                of.accept(new ConnectParameters(new byte[0], 0, 0, 0, 0, 5, 0));
            } else if (choice < 4) {
                of.reject(new byte[0]);
                of.close();
                return;
            }
        } catch (final VerbsException e) {
            // All routes are in use: a request is refused, and that is all.
            of.close();
            return;
        }
        pending.add(of);
        if (pending.size() > MOST_PENDING) {
            pending.remove().close();
        }
    }

    // Victims.

    /** Connects the victims out of band with those of the other end, where they are in an error. */
    static void reconnectVictims(final FuzzedEnd one, final FuzzedEnd other) {
        if (one.victim.state() == QpState.RTS && other.victim.state() == QpState.RTS) {
            return;
        }
        one.connectVictim(other);
        other.connectVictim(one);
    }

    private void connectVictim(final FuzzedEnd other) {
        victim.modify(new QpAttributes().qpState(QpState.RESET));
        victim.modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(1)
                .accessFlags(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
        victim.modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(AhAttributes.to(other.gid))
                .pathMtu(Mtu.MTU_256)
                .destQpNum(other.victim.qpNum())
                .rqPsn(0)
                .maxDestRdAtomic(4)
                .minRnrTimer(1));
        victim.modify(new QpAttributes()
                .qpState(QpState.RTS).timeout(8).retryCnt(2).rnrRetry(2).sqPsn(0).maxRdAtomic(4));
    }

    void startDatagrams(final Gid peer) {
        datagramVictim.modify(
                new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
        datagramVictim.modify(new QpAttributes().qpState(QpState.RTR));
        datagramVictim.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
        ah = victimPd.createAh(AhAttributes.to(peer));
    }

    /** Every kind of request between the victims, as far as they take it. */
    void useVictims(final FuzzedEnd other) {
        final long at = victimMemory + random.nextInt(16) * (long) SLOT;
        final int lengthBytes = random.nextInt(1, SLOT);
        victim.postRecv(recv.wrId(1).next(0).sge(at, SLOT, victimMr.lkey()));
        datagramVictim.postRecv(recv.wrId(1).next(0).sge(at, SLOT, victimMr.lkey()));
        send.wrId(2).next(0).sendFlags(SendFlags.SIGNALED).sge(at, lengthBytes, victimMr.lkey());
        switch (random.nextInt(6)) {
            case 0 -> victim.postSend(send.opcode(WrOpcode.SEND_WITH_IMM).immData(7));
            case 1 -> victim.postSend(
                    send.opcode(WrOpcode.RDMA_WRITE).rdma(other.victimMemory, other.victimMr.rkey()));
            case 2 -> victim.postSend(
                    send.opcode(WrOpcode.RDMA_READ).rdma(other.victimMemory, other.victimMr.rkey()));
            case 3 -> victim.postSend(send.opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                    .sge(at, Long.BYTES, victimMr.lkey())
                    .atomic(other.victimMemory, other.victimMr.rkey(), 1, 0));
            case 4 -> victim.postSend(send.opcode(WrOpcode.SEND));
            default -> datagramVictim.postSend(send.opcode(WrOpcode.SEND)
                    .sge(at, Math.min(lengthBytes, 512), victimMr.lkey())
                    .ud(Objects.requireNonNull(ah).handle(), other.datagramVictim.qpNum(), QKEY));
        }
    }

    /** Closes what strangers left. */
    void closePending() {
        pending.forEach(CmId::close);
        pending.clear();
    }

    @Override
    public void close() {
        closePending();
        own.forEach(CmId::close);
        listener.close();
        if (ah != null) {
            ah.close();
        }
        victim.close();
        datagramVictim.close();
        mr.close();
        victimMr.close();
        cq.close();
        victimCq.close();
        channel.close();
        pd.close();
        victimPd.close();
        context.close();
        arena.close();
    }
}
