package io.vhca.harness.drill.child;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.GrhHeader;
import java.lang.foreign.Arena;

/**
 * A queue pair for numbered datagrams, that of an id of RDMA_PS_UDP. All sizes in turn, and bytes that follow from the
 * number: a datagram that is not whole, or in the wrong place, shows. Owns the id. One thread.
 */
final class DatagramPort implements AutoCloseable {
    private static final int DEPTH = 64;
    private static final int POLLED = 16;
    private static final int SLOT_BYTES = 512;
    private static final int MOST_DATA = SLOT_BYTES - GrhHeader.SIZE - DrillMessage.HEADER_BYTES;
    /** Work request ids of sends; what is below is a receive's slot. */
    private static final long SEND_BASE = 1L << 32;

    private final Arena arena = Arena.ofShared();
    private final CmId id;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion mr;
    private final QueuePair qp;
    private final SendWorkRequest sendWr = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recvWr = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, POLLED);
    private long posted;
    private long completed;

    /** Hears of what came. */
    @FunctionalInterface
    interface Handler {
        /** @param header see {@link GrhHeader}; only good until the return */
        void onDatagram(long number, long header, int srcQp);
    }

    /** Creates the queue pair, and posts all its receives. */
    DatagramPort(final Context context, final CmId id) {
        this.id = id;
        pd = context.allocPd();
        cq = context.createCq(2 * DEPTH, null, null);
        mr = pd.regMr(arena.allocate(2L * DEPTH * SLOT_BYTES, 4096), AccessFlags.LOCAL_WRITE);
        final QpCapabilities depth = new QpCapabilities(DEPTH, DEPTH, 1, 1, 0);
        qp = id.createQp(pd, new QpInitAttributes(cq, cq, null, depth, QpType.UD, false));
        for (int slot = 0; slot < DEPTH; slot++) {
            receive(slot);
        }
    }

    ProtectionDomain pd() {
        return pd;
    }

    private void receive(final long slot) {
        final int taken = qp.postRecv(recvWr.wrId(slot).sge(mr.addr() + slot * SLOT_BYTES, SLOT_BYTES, mr.lkey()));
        if (taken < 0) {
            throw new VerbsException("postRecv", -taken, "drill datagrams", "the request was refused");
        }
    }

    private static int dataBytes(final long number) {
        return (int) (number * 37 % MOST_DATA);
    }

    /** False where the queue is full. */
    boolean send(final AddressHandle to, final int qpNum, final long number) {
        if (posted - completed == DEPTH) {
            return false;
        }
        final long slot = mr.addr() + (DEPTH + posted % DEPTH) * SLOT_BYTES;
        final int bytes = dataBytes(number);
        fill(slot, number, bytes);
        final int taken = qp.postSend(sendWr.wrId(SEND_BASE + posted)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED)
                .sge(slot, DrillMessage.HEADER_BYTES + bytes, mr.lkey())
                .ud(to.handle(), qpNum, ConnectParameters.UDP_QKEY));
        if (taken < 0) {
            throw new VerbsException("postSend", -taken, "drill datagrams", "the request was refused");
        }
        posted++;
        return true;
    }

    private static void fill(final long slot, final long number, final int bytes) {
        DrillMessage.write(slot, DrillMessage.DATA, number);
        for (int i = 0; i < bytes; i++) {
            NativeMemory.putByte(slot + DrillMessage.HEADER_BYTES + i, (byte) (number + i));
        }
    }

    /**
     * Takes what came and posts its receives again; true when there was anything.
     *
     * @throws IllegalStateException for a completion in error, and for what is no datagram of the drill
     */
    boolean poll(final Handler handler) {
        final int count = cq.poll(wc);
        if (count < 0) {
            throw new VerbsException("pollCq", -count, "drill datagrams", "the completion queue is in error");
        }
        for (int i = 0; i < count; i++) {
            final WorkCompletion one = wc.at(i);
            if (one.status() != 0) {
                throw new IllegalStateException("a datagram's request completed with " + one.statusName());
            }
            if (one.opcode() == WcOpcode.RECV.code()) {
                final long header = mr.addr() + one.wrId() * SLOT_BYTES;
                final long number = number(header + GrhHeader.SIZE, one.byteLen() - GrhHeader.SIZE);
                handler.onDatagram(number, header, one.srcQp());
                receive(one.wrId());
            } else {
                completed++;
            }
        }
        return count > 0;
    }

    private static long number(final long address, final int lengthBytes) {
        final long number = DrillMessage.sequence(address);
        boolean isWhole = DrillMessage.kind(address, lengthBytes) == DrillMessage.DATA
                && lengthBytes == DrillMessage.HEADER_BYTES + dataBytes(number);
        for (int i = DrillMessage.HEADER_BYTES; isWhole && i < lengthBytes; i++) {
            isWhole = NativeMemory.getByte(address + i) == (byte) (number + i - DrillMessage.HEADER_BYTES);
        }
        if (!isWhole) {
            throw new IllegalStateException("a datagram of " + lengthBytes + " bytes came that is not as it was sent");
        }
        return number;
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
