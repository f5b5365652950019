package io.vhca.physical.soft.engine.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;

/**
 * The layout of a slot of a send queue: the used part of {@code ibv_send_wr}, then what the requester notes about the
 * request, then the scatter/gather elements or the inline data.
 *
 * <pre>
 *   0              72               80              88             92      128
 *   | ibv_send_wr  | first sequence | last sequence | length bytes |  pad  | SGEs or inline data |
 * </pre>
 */
public final class SendWqeDescriptor {
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

    /** Bytes of a slot that holds so many elements, or so many bytes of inline data. */
    public static int bytes(final int maxSge, final int maxInline) {
        return DATA_OFFSET + Math.max(maxSge * SgeDescriptor.SIZE, maxInline + Long.BYTES - 1 & -Long.BYTES);
    }

    public static long wrId(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.WR_ID_OFFSET);
    }

    public static int opcode(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.OPCODE_OFFSET);
    }

    public static boolean hasFlag(final long wqe, final int flag) {
        return (NativeMemory.getInt(wqe + SendWrDescriptor.SEND_FLAGS_OFFSET) & flag) != 0;
    }

    public static boolean isInline(final long wqe) {
        return hasFlag(wqe, SendFlags.INLINE);
    }

    /** The immediate in the order of its bytes on the wire. */
    public static int rawImmediate(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.IMM_DATA_OFFSET);
    }

    public static int numSge(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.NUM_SGE_OFFSET);
    }

    public static long sge(final long wqe, final int index) {
        return wqe + DATA_OFFSET + (long) index * SgeDescriptor.SIZE;
    }

    /** Native address of the inline data, or of the first element. */
    public static long data(final long wqe) {
        return wqe + DATA_OFFSET;
    }

    /** Where a READ or WRITE goes to at the peer. */
    public static long remoteAddr(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET);
    }

    public static int rkey(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.RDMA_RKEY_OFFSET);
    }

    /** Where an atomic goes to at the peer. */
    public static long atomicAddr(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET);
    }

    public static int atomicRkey(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.ATOMIC_RKEY_OFFSET);
    }

    /** What a fetch-and-add adds, or what a compare-and-swap compares with. */
    public static long compareAdd(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET);
    }

    public static long swap(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.ATOMIC_SWAP_OFFSET);
    }

    /** The handle of a datagram's address handle. */
    public static long ah(final long wqe) {
        return NativeMemory.getLong(wqe + SendWrDescriptor.UD_AH_OFFSET);
    }

    public static int remoteQpn(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.UD_REMOTE_QPN_OFFSET);
    }

    public static int remoteQkey(final long wqe) {
        return NativeMemory.getInt(wqe + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET);
    }

    /** Sequence of the first packet, or of the first response packet of a READ. */
    public static long first(final long wqe) {
        return NativeMemory.getLong(wqe + FIRST_OFFSET);
    }

    public static long last(final long wqe) {
        return NativeMemory.getLong(wqe + LAST_OFFSET);
    }

    public static void sequences(final long wqe, final long first, final long last) {
        assert first <= last : "a request has one packet at least";
        NativeMemory.putLong(wqe + FIRST_OFFSET, first);
        NativeMemory.putLong(wqe + LAST_OFFSET, last);
    }

    /** Bytes of the whole message, unsigned 32 bits. */
    public static long length(final long wqe) {
        return Integer.toUnsignedLong(NativeMemory.getInt(wqe + LENGTH_OFFSET));
    }

    public static void length(final long wqe, final long lengthBytes) {
        NativeMemory.putInt(wqe + LENGTH_OFFSET, (int) Math.min(lengthBytes, 0xffff_ffffL));
    }

    /** True for READs and atomics: they are done by a response, not by an acknowledgement. */
    public static boolean needsResponse(final long wqe) {
        final int opcode = opcode(wqe);
        return opcode == WrOpcode.RDMA_READ.code() || isAtomic(opcode);
    }

    /** True for a SEND or WRITE that waits for no response before it. */
    public static boolean waitsForNone(final long wqe) {
        return !needsResponse(wqe) && !hasFlag(wqe, SendFlags.FENCE);
    }

    public static boolean isAtomic(final int opcode) {
        return opcode == WrOpcode.ATOMIC_CMP_AND_SWP.code() || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code();
    }
}
