package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.ConnectedSlotDescriptor;

/**
 * The slots of a connected vQP's send queue ({@link ConnectedSlotDescriptor}): they know the remote key as it was
 * posted.
 */
public class ConnectedSlots extends SendSlots {
    /** The slots of a queue whose requests are followed by marks, or not. */
    public static ConnectedSlots of(final NativeBlock block, final QpCapabilities cap, final BondConfig config) {
        final LedgerMode ledger = config.ledger();
        return ledger == LedgerMode.OFF
                ? new ConnectedSlots(block, cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData())
                : new MarkedSlots(block, cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData(), ledger,
                        config.confirmsByPeer());
    }

    /** What they take of a block. */
    static long bytes(final QpCapabilities cap, final BondConfig config) {
        return bytes(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData())
                + (config.ledger() == LedgerMode.OFF ? 0 : MarkedSlots.markBytes(cap.maxSendWr()));
    }

    public ConnectedSlots(final NativeBlock block, final int capacity, final int maxSge, final int maxInline) {
        super(block, capacity, maxSge, maxInline);
    }

    // ---- written at post --------------------------------------------------------------------------------------------

    /** Copies the target of an RDMA request; its remote key is translated when it is given to hardware. */
    final void copyTarget(final long to, final long wr) {
        NativeMemory.putLong(
                to + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET,
                NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET));
        NativeMemory.putInt(
                to + ConnectedSlotDescriptor.VRKEY_OFFSET, NativeMemory.getInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET));
    }

    /** Takes an atomic, which has one element, over; its remote key is translated when it is given to hardware. */
    final void keepAtomic(
            final long to, final long wr, final int flags, final LocalKeys.Snapshot keys, final int member) {
        NativeMemory.putInt(to + SendWrDescriptor.NUM_SGE_OFFSET, 1);
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        NativeMemory.putInt(to + SendWrDescriptor.OPCODE_OFFSET, opcode);
        copySges(to, NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET), 1, keys, member);
        NativeMemory.copy(
                wr + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET, to + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET,
                SendWrDescriptor.XRC_REMOTE_SRQN_OFFSET - SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET);
        NativeMemory.putInt(
                to + ConnectedSlotDescriptor.VRKEY_OFFSET,
                NativeMemory.getInt(wr + SendWrDescriptor.ATOMIC_RKEY_OFFSET));
        keep(to, wr, flags, opcode);
    }

    // ---- written when given to hardware -----------------------------------------------------------------------------

    public final int remoteKey(final long wr) {
        return NativeMemory.getInt(wr + ConnectedSlotDescriptor.VRKEY_OFFSET);
    }

    /**
     * A request that the peer has executed, behind a READ that it must answer again: a write of nothing keeps its place
     * in the order of completions and touches no memory (no key is checked for zero bytes, IBA C9-88).
     */
    final void makePlaceholder(final long wr) {
        NativeMemory.putInt(wr + SendWrDescriptor.OPCODE_OFFSET, WrOpcode.RDMA_WRITE.code());
        NativeMemory.putInt(wr + SendWrDescriptor.NUM_SGE_OFFSET, 0);
        NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, SendFlags.SIGNALED);
        NativeMemory.putLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET, 0);
        NativeMemory.putInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET, 0);
    }

    /** Marks go there from now on; see {@link MarkedSlots}. */
    void markInto(final long wordAddress, final int wordKey, final long prefix) {
        // No marks here.
    }

    /** Whether the peer has no bond: nobody would read marks. */
    void plain(final boolean value) {
        // No marks here.
    }

    /** Whether marks follow requests. */
    boolean hasMarks() {
        return false;
    }

    /** True when a mark followed the request, as given to the hardware in use. */
    boolean isMarked(final long sequence) {
        return false;
    }

    /** The first slot of the chain from {@code from} that the hardware has not taken, of which it took so many. */
    long given(final long from, final int taken) {
        return from + taken;
    }

    /** Makes one chain of the slots in [from, end), which is not empty, with their marks; the address of its first. */
    long chain(final long from, final long end) {
        return link(from, end);
    }

    // ---- read -------------------------------------------------------------------------------------------------------

    /** The first atomic in [from, end), or -1. */
    final long nextAtomic(final long from, final long end) {
        for (long sequence = from; sequence < end; sequence++) {
            if (SendOpcodes.isAtomic(opcode(sequence))) {
                return sequence;
            }
        }
        return -1;
    }
}
