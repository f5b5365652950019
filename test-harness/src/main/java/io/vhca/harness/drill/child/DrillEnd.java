package io.vhca.harness.drill.child;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.harness.drill.protocol.CmSteps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One end of the drill's connection: a queue pair, a completion queue of both directions, send slots, receive slots and
 * a slot for the peer to write to, in one registered region. Receives have a work request id below {@link #SEND_BASE}.
 * One thread.
 */
public final class DrillEnd implements AutoCloseable {
    /** Work request ids of sends start here; what is below is a receive's slot. */
    public static final long SEND_BASE = 1L << 32;

    private static final int ACCESS =
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final CmEventChannel channel;
    private final CmId id;
    private final int sendSlots;
    private final int slotBytes;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final MemorySegment memory;
    /** Offset of the slot that the peer may write to. */
    private final long landing;
    private final MemoryRegion mr;
    private final SendWorkRequest sendWr = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recvWr = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 16);

    private DrillEnd(
            final Context context,
            final CmEventChannel channel,
            final CmId id,
            final int sendSlots,
            final int recvSlots,
            final int slotBytes) {
        this.channel = channel;
        this.id = id;
        this.sendSlots = sendSlots;
        this.slotBytes = slotBytes;
        pd = context.allocPd();
        cq = context.createCq(2 * (sendSlots + recvSlots), null, null);
        qp = id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(sendSlots, recvSlots, 1, 1, 0)));
        memory = arena.allocate((sendSlots + recvSlots + 1L) * slotBytes, 4096);
        landing = (long) (sendSlots + recvSlots) * slotBytes;
        mr = pd.regMr(memory, ACCESS);
        for (int slot = 0; slot < recvSlots; slot++) {
            postReceive(slot);
        }
    }

    /** Connects and waits until the connection stands. */
    public static DrillEnd connect(
            final Context context,
            final InetSocketAddress peer,
            final int sendSlots,
            final int recvSlots,
            final int slotBytes) {
        final CmEventChannel channel = context.createEventChannel();
        final CmId id = CmSteps.resolve(channel, CmPortSpace.TCP, peer);
        final DrillEnd end = new DrillEnd(context, channel, id, sendSlots, recvSlots, slotBytes);
        id.connect(ConnectParameters.of(new byte[0]));
        CmSteps.await(channel, CmEventType.ESTABLISHED);
        return end;
    }

    /**
     * Waits for a request on the listener's channel, accepts it, and waits until the connection stands. A peer that
     * calls off one request may make another: a server goes on listening.
     */
    public static DrillEnd accept(
            final Context context,
            final CmEventChannel channel,
            final int sendSlots,
            final int recvSlots,
            final int slotBytes) {
        while (true) {
            final CmId child = CmSteps.await(channel, CmEventType.CONNECT_REQUEST).id();
            final DrillEnd end = new DrillEnd(context, channel, child, sendSlots, recvSlots, slotBytes);
            child.accept(ConnectParameters.of(new byte[0]));
            final CmEvent event = CmSteps.next(channel, CmEventType.ESTABLISHED);
            if (event.type() == CmEventType.ESTABLISHED) {
                return end;
            }
            System.err.println("a request came to nothing: " + event.type() + " (status " + event.status() + ")");
            end.close();
        }
    }

    /** The path that a bond has chosen for the connection; empty over any other device. */
    String path() {
        return qp.pd().context() instanceof BondContext bond ? bond.admin().path(qp) : "";
    }

    int qpNum() {
        return qp.qpNum();
    }

    public WorkCompletion wc() {
        return wc;
    }

    /** Polls into {@link #wc}. */
    public int poll() {
        final int count = cq.poll(wc);
        if (count < 0) {
            throw new VerbsException("pollCq", -count, "drill qp " + qp.qpNum(), "the completion queue is in error");
        }
        return count;
    }

    /** Address of a send slot. */
    public long sendSlot(final long index) {
        return mr.addr() + index % sendSlots * slotBytes;
    }

    /** Address of a receive slot. */
    public long recvSlot(final long slot) {
        return mr.addr() + (sendSlots + slot) * slotBytes;
    }

    int slotBytes() {
        return slotBytes;
    }

    /** Posts send slot {@code index}, signaled; the id of its completion is {@link #SEND_BASE} + index. */
    public void postSend(final long index, final int lengthBytes) {
        final int posted = qp.postSend(sendWr.wrId(SEND_BASE + index)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED)
                .sge(sendSlot(index), lengthBytes, mr.lkey()));
        refused("postSend", posted);
    }

    /** Requests that may be under way. */
    public int sendSlots() {
        return sendSlots;
    }

    /** Start of the slot that the peer may write to. */
    public long address() {
        return mr.addr() + landing;
    }

    /** The last byte of a WRITE of so many bytes to that slot: it lands last. */
    public byte landed(final int lengthBytes) {
        return (byte) BYTE.getAcquire(memory, landing + lengthBytes - 1);
    }

    /** Posts a WRITE of send slot {@code index}, after setting its last byte; for {@link #landed} at the peer. */
    public void postWrite(
            final long index, final int lengthBytes, final byte last, final long to, final int rkey) {
        NativeMemory.putByte(sendSlot(index) + lengthBytes - 1, last);
        postOneSided(WrOpcode.RDMA_WRITE, index, lengthBytes, to, rkey);
    }

    /** The key of that memory. */
    public int rkey() {
        return mr.rkey();
    }

    /**
     * Posts a signaled WRITE of send slot {@code index}, or a READ or a fetch-and-add whose result comes into it; the
     * id of its completion is {@link #SEND_BASE} + index.
     */
    public void postOneSided(
            final WrOpcode opcode, final long index, final int lengthBytes, final long to, final int rkey) {
        sendWr.wrId(SEND_BASE + index)
                .opcode(opcode)
                .sendFlags(SendFlags.SIGNALED)
                .sge(sendSlot(index), lengthBytes, mr.lkey());
        if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
            sendWr.atomic(to, rkey, 1, 0);
        } else {
            sendWr.rdma(to, rkey);
        }
        refused("postSend", qp.postSend(sendWr));
    }

    public void postReceive(final long slot) {
        refused("postRecv", qp.postRecv(recvWr.wrId(slot).sge(recvSlot(slot), slotBytes, mr.lkey())));
    }

    private void refused(final String verb, final int result) {
        if (result < 0) {
            throw new VerbsException(verb, -result, "drill qp " + qp.qpNum(), "the request was refused");
        }
    }

    /** The next event of the connection, if there is one: DISCONNECTED, say. */
    @Nullable CmEvent event() {
        final CmEvent event = channel.getEvent(0);
        if (event != null) {
            event.ack();
        }
        return event;
    }

    void disconnect() {
        id.disconnect();
    }

    @Override
    public void close() {
        id.close();
        cq.close();
        mr.close();
        pd.close();
        arena.close();
    }
}
