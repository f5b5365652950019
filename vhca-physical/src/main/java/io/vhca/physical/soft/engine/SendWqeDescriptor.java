package io.vhca.physical.soft.engine;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;

/**
 * A slot of the send queue: the used part of {@code ibv_send_wr}, then what the requester notes about it, then the
 * scatter/gather elements or the inline data.
 *
 * <pre>
 *   0              72               80              88             92            96    128
 *   | ibv_send_wr  | first sequence | last sequence | length bytes | inline data?| pad | SGEs or inline data |
 * </pre>
 */
final class SendWqeDescriptor {
    static final int WR_BYTES = SendWrDescriptor.XRC_REMOTE_SRQN_OFFSET;
    static final int FIRST_OFFSET = WR_BYTES;
    static final int LAST_OFFSET = FIRST_OFFSET + Long.BYTES;
    static final int LENGTH_OFFSET = LAST_OFFSET + Long.BYTES;
    static final int DATA_OFFSET = 128;

    static {
        if (WR_BYTES != 72 || LENGTH_OFFSET + Integer.BYTES > DATA_OFFSET) {
            throw new ExceptionInInitializerError("the send WQE's fields overlap");
        }
    }

    private SendWqeDescriptor() {}

    static long wrId(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.WR_ID_OFFSET);
    }

    static int opcode(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.OPCODE_OFFSET);
    }

    static boolean hasFlag(final long wqe, final int flag) {
        return (NativeMemory.getInt(wqe + SendWrDescriptor.SEND_FLAGS_OFFSET) & flag) != 0;
    }

    static boolean isInline(final long wqe) {
        return hasFlag(wqe, SendFlags.INLINE);
    }

    /** The immediate in the order of its bytes on the wire. */
    static int rawImmediate(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.IMM_DATA_OFFSET);
    }

    static int numSge(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.NUM_SGE_OFFSET);
    }

    static long sge(final long wqe, final int index) {
        return wqe + DATA_OFFSET + (long) index * SgeDescriptor.SIZE;
    }

    /** Sequence of the first packet, or of the first response packet of a READ. */
    static long first(final long wqe) {
        return NativeMemory.getLong(wqe + FIRST_OFFSET);
    }

    static long last(final long wqe) {
        return NativeMemory.getLong(wqe + LAST_OFFSET);
    }

    static void sequences(final long wqe, final long first, final long last) {
        NativeMemory.putLong(wqe + FIRST_OFFSET, first);
        NativeMemory.putLong(wqe + LAST_OFFSET, last);
    }

    /** Bytes of the whole message, unsigned 32 bits. */
    static long length(final long wqe) {
        return Integer.toUnsignedLong(NativeMemory.getInt(wqe + LENGTH_OFFSET));
    }

    static void length(final long wqe, final long lengthBytes) {
        NativeMemory.putInt(wqe + LENGTH_OFFSET, (int) Math.min(lengthBytes, 0xffff_ffffL));
    }

    /** True for READs and atomics: they are done by a response, not by an acknowledgement. */
    static boolean needsResponse(final long wqe) {
        final int opcode = opcode(wqe);
        return opcode == WrOpcode.RDMA_READ.code() || isAtomic(opcode);
    }

    static boolean isAtomic(final int opcode) {
        return opcode == WrOpcode.ATOMIC_CMP_AND_SWP.code() || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code();
    }
}
