package io.vhca.harness.conformance;

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
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One end of a test: a context with a PD, a CQ for sends, one for receives, registered memory, and an event channel.
 */
final class Peer implements AutoCloseable {
    static final int MEMORY_BYTES = 4 << 20;
    static final QpCapabilities CAPABILITIES = new QpCapabilities(64, 64, 4, 4, 64);
    private static final int CQE = 4096;
    private static final int ALL_ACCESS = AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;

    final Arena arena = Arena.ofShared();
    final Context context;
    final CmEventChannel channel;
    final ProtectionDomain pd;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final MemorySegment memory;
    final MemoryRegion region;
    final SendWorkRequest send = SendWorkRequest.allocate(arena, 4);
    final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 4);

    Peer(final Context context) {
        this.context = context;
        channel = context.createEventChannel();
        pd = context.allocPd();
        sendCq = context.createCq(CQE, null, null);
        recvCq = context.createCq(CQE, null, null);
        memory = arena.allocate(MEMORY_BYTES, 4096);
        region = pd.regMr(memory, ALL_ACCESS);
    }

    QpInitAttributes qpAttributes(final boolean sqSigAll) {
        return new QpInitAttributes(sendCq, recvCq, null, CAPABILITIES, QpType.RC, sqSigAll);
    }

    long address(final int offset) {
        return region.addr() + offset;
    }

    /** Fills a range with bytes that depend on the place and the seed. */
    void fill(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (i * 31 + (i >> 8) + seed));
        }
    }

    boolean holds(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != (byte) (i * 31 + (i >> 8) + seed)) {
                return false;
            }
        }
        return true;
    }

    /** The send request, set to a fresh one of one element; to be completed and posted. */
    SendWorkRequest request(
            final WrOpcode opcode, final int flags, final long wrId, final int offset, final int length) {
        return send.next(0)
                .wrId(wrId)
                .opcode(opcode)
                .sendFlags(flags)
                .sge(address(offset), length, region.lkey());
    }

    int postRecv(final QueuePair qp, final long wrId, final int offset, final int length) {
        return qp.postRecv(recv.next(0).wrId(wrId).sge(address(offset), length, region.lkey()));
    }

    CmEvent event(final CmEventType type) {
        final CmEvent event = Objects.requireNonNull(channel.getEvent(Patience.NS), "no " + type + " in time");
        event.ack();
        if (event.type() != type) {
            throw new AssertionError("expected " + type + ", got " + event);
        }
        return event;
    }

    static QueuePair qp(final @Nullable CmId id) {
        return Objects.requireNonNull(Objects.requireNonNull(id).qp());
    }

    @Override
    public void close() {
        region.close();
        channel.close();
        recvCq.close();
        sendCq.close();
        pd.close();
        context.close();
        arena.close();
    }
}
