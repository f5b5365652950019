package io.vhca.physical.soft.engine.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * The layout of a slot of a receive queue: {@code ibv_recv_wr}, whose {@code next} holds the bytes that the receive can
 * take, then its scatter/gather elements.
 *
 * <pre>
 *   0       8              16   24        28    32
 *   | wr_id | length bytes | -  | num_sge | pad | SGEs |
 * </pre>
 */
public final class RecvWqeDescriptor {
    static final int LENGTH_OFFSET = RecvWrDescriptor.NEXT_OFFSET;
    static final int SGES_OFFSET = RecvWrDescriptor.SIZE;

    private RecvWqeDescriptor() {}

    public static int bytes(final int maxSge) {
        return SGES_OFFSET + maxSge * SgeDescriptor.SIZE;
    }

    public static long wrId(final long wqe) {
        return NativeMemory.getLong(wqe + RecvWrDescriptor.WR_ID_OFFSET);
    }

    /** Bytes that the buffer holds. */
    public static long length(final long wqe) {
        return NativeMemory.getLong(wqe + LENGTH_OFFSET);
    }

    static void length(final long wqe, final long lengthBytes) {
        NativeMemory.putLong(wqe + LENGTH_OFFSET, lengthBytes);
    }

    public static int numSge(final long wqe) {
        return NativeMemory.getInt(wqe + RecvWrDescriptor.NUM_SGE_OFFSET);
    }
}
