package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;

/** Writes completions that no hardware reported: decided by negotiation, failed by name, or flushed. */
public final class VirtualCompletion {
    private VirtualCompletion() {}

    /**
     * Writes the completion of a send request.
     *
     * @param wc zeroed
     */
    public static void write(
            final long wc, final SendSlots slots, final long sequence, final int status, final int qpNum) {
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, slots.wrId(sequence));
        NativeMemory.putInt(wc + WcDescriptor.STATUS_OFFSET, status);
        NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, opcodeOf(slots.opcode(sequence)));
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
    }

    /** Writes a flush completion over whatever was there. */
    public static void writeFlush(final long wc, final long wrId, final int qpNum, final boolean receive) {
        NativeMemory.fill(wc, WcDescriptor.SIZE, (byte) 0);
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putInt(wc + WcDescriptor.STATUS_OFFSET, WcStatus.WR_FLUSH_ERR.code());
        NativeMemory.putInt(wc + WcDescriptor.OPCODE_OFFSET, receive ? WcOpcode.RECV.code() : WcOpcode.SEND.code());
        NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
    }

    /** The completion's opcode for a send request's. */
    public static int opcodeOf(final int wrOpcode) {
        return switch (WrOpcode.fromCode(wrOpcode)) {
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE.code();
            case RDMA_READ -> WcOpcode.RDMA_READ.code();
            case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP.code();
            case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD.code();
            default -> WcOpcode.SEND.code();
        };
    }
}
