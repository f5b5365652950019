package io.vhca.bond.fake;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionChannel;
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
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.verbs.BondMemoryRegion;
import io.vhca.bond.verbs.BondQueuePair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection as an application has it: a CQ, a region of {@value #SIZE} bytes, a queue pair with 16 sends
 * and 16 receives, and the id that connects it. The first half of the region is sent from, the second received into.
 */
public final class AppEnd implements AutoCloseable {
    public static final int SIZE = 8_192;
    public static final int DEPTH = 16;
    private static final int SLOT = 64;
    private static final int RECEIVES_AT = SIZE / 2;
    private static final int MOST = 64;

    private final HandBond bond;
    private final Arena arena = Arena.ofConfined();
    private final CompletionQueue cq;
    private final MemorySegment memory = arena.allocate(SIZE, 64);
    private final BondMemoryRegion region;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 2);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 2);
    private final long wcs = arena.allocate((long) MOST * WcDescriptor.SIZE, 64).address();
    private final @Nullable SharedReceiveQueue srq;
    private @Nullable CmId id;
    private @Nullable BondQueuePair qp;
    private boolean closed;

    public AppEnd(final HandBond bond) {
        this(bond, null);
    }

    /** The same, with receives from a shared queue. */
    public AppEnd(final HandBond bond, final @Nullable SharedReceiveQueue srq) {
        this(bond, srq, null);
    }

    /** The same, with a channel for its CQ. */
    public AppEnd(
            final HandBond bond, final @Nullable SharedReceiveQueue srq, final @Nullable CompletionChannel channel) {
        this.bond = bond;
        this.srq = srq;
        cq = bond.context().createCq(64, null, channel);
        region = (BondMemoryRegion) bond.pd()
                .regMr(
                        memory,
                        AccessFlags.LOCAL_WRITE
                                | AccessFlags.REMOTE_WRITE
                                | AccessFlags.REMOTE_READ
                                | AccessFlags.REMOTE_ATOMIC);
    }

    private QpInitAttributes attributes() {
        return new QpInitAttributes(cq, cq, srq, new QpCapabilities(DEPTH, DEPTH, 2, 2, 32), QpType.RC, false);
    }

    /** A queue pair for the id, which becomes this end's. */
    public void on(final CmId connects) {
        id = connects;
        qp = (BondQueuePair) connects.createQp(bond.pd(), attributes());
    }

    /** A queue pair that no id connects. */
    public void alone() {
        qp = (BondQueuePair) bond.pd().createQp(attributes());
    }

    // ---- out of band ------------------------------------------------------------------------------------------------

    /** To INIT, with every access of a peer's allowed. */
    public void toInit() {
        qp().modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(1)
                .accessFlags(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
    }

    /** To RTR, with the peer's queue pair at an address. */
    public void toRtr(final String address, final int qpNum, final int psn) {
        qp().modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(AhAttributes.to(Gid.of(InetAddress.ofLiteral(address))))
                .pathMtu(Mtu.MTU_1024)
                .destQpNum(qpNum)
                .rqPsn(psn)
                .maxDestRdAtomic(1)
                .minRnrTimer(12));
    }

    /** To RTS. */
    public void toRts(final int psn, final int rnrRetry) {
        qp().modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(rnrRetry)
                .sqPsn(psn)
                .maxRdAtomic(1));
    }

    public HandBond bond() {
        return bond;
    }

    public BondQueuePair qp() {
        return Objects.requireNonNull(qp);
    }

    public CmId id() {
        return Objects.requireNonNull(id);
    }

    public CompletionQueue cq() {
        return cq;
    }

    public QpRecovery recovery() {
        return QpRecovery.of(qp());
    }

    /** The physical queue pair in use. */
    public FakeQp physical() {
        return (FakeQp) Objects.requireNonNull(recovery().attachment().physical());
    }

    public BondMemoryRegion region() {
        return region;
    }

    // ---- work -------------------------------------------------------------------------------------------------------

    /** Where a request of that number is sent from. */
    public long from(final long wrId) {
        return memory.address() + wrId % (RECEIVES_AT / SLOT) * SLOT;
    }

    /** Where a receive of that number is received into. */
    public long into(final long wrId) {
        return RECEIVES_AT + from(wrId);
    }

    /** Posts a receive. */
    public int receive(final long wrId) {
        return qp().postRecv(recv.wrId(wrId).next(0).sge(into(wrId), SLOT, region.lkey()));
    }

    /** Posts receives 0 .. count - 1. */
    public void receives(final int count) {
        for (int i = 0; i < count; i++) {
            if (receive(i) != 1) {
                throw new AssertionError("receive " + i + " was refused");
            }
        }
    }

    /** Posts a signaled SEND of a text. */
    public int send(final long wrId, final String text) {
        return post(wrId, WrOpcode.SEND, text, SendFlags.SIGNALED, 0, 0);
    }

    /** Posts a request of any kind but an atomic, with a text at its buffer. */
    public int post(
            final long wrId,
            final WrOpcode opcode,
            final String text,
            final int flags,
            final long remote,
            final int rkey) {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        NativeMemory.segment(from(wrId), bytes.length).asByteBuffer().put(bytes);
        return qp().postSend(send.wrId(wrId)
                .next(0)
                .opcode(opcode)
                .sendFlags(flags)
                .sge(from(wrId), bytes.length, region.lkey())
                .rdma(remote, rkey));
    }

    /** Posts a signaled WRITE of a text. */
    public int write(final long wrId, final String text, final long remote, final int rkey) {
        return post(wrId, WrOpcode.RDMA_WRITE, text, SendFlags.SIGNALED, remote, rkey);
    }

    /** Posts an atomic; the value before comes to {@link #from}. */
    public int atomic(
            final long wrId, final WrOpcode opcode, final long remote, final int rkey, final long one, final long two) {
        return qp().postSend(atomicInto(from(wrId), Long.BYTES, region.lkey())
                .wrId(wrId)
                .opcode(opcode)
                .atomic(remote, rkey, one, two));
    }

    /** Posts a FETCH_ADD whose value before is to come somewhere else. */
    public int fetchAddInto(
            final long address, final int lengthBytes, final int lkey, final long remote, final int rkey) {
        return qp().postSend(atomicInto(address, lengthBytes, lkey)
                .wrId(1)
                .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                .atomic(remote, rkey, 2, 0));
    }

    private SendWorkRequest atomicInto(final long address, final int lengthBytes, final int lkey) {
        return send.next(0).sendFlags(SendFlags.SIGNALED).sge(address, lengthBytes, lkey);
    }

    /** Everything that the CQ has. */
    public List<Completion> poll() {
        final List<Completion> all = new ArrayList<>();
        int count;
        do {
            count = cq.poll(wcs, MOST);
            for (int i = 0; i < count; i++) {
                all.add(Completion.read(wcs + (long) i * WcDescriptor.SIZE));
            }
        } while (count == MOST);
        return all;
    }

    /** The same, as most tests look at it: {@code 7 SUCCESS}. */
    public List<String> polled() {
        return poll().stream().map(Completion::text).toList();
    }

    /** What a receive brought. */
    public String text(final long wrId, final int length) {
        return new String(Posted.bytes(into(wrId), length), StandardCharsets.US_ASCII);
    }

    /** The types of the CM events that the application has not taken yet; those of other ids too. */
    public List<CmEventType> cmEvents() {
        final List<CmEventType> all = new ArrayList<>();
        for (CmEvent event = bond.channel().getEvent(0); event != null; event = bond.channel().getEvent(0)) {
            all.add(event.type());
        }
        return all;
    }

    /** Destroys all of it. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (qp != null) {
            qp.close();
        }
        if (id != null) {
            id.close();
        }
        region.close();
        cq.close();
        arena.close();
    }
}
