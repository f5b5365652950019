package io.vhca.api;

import java.lang.foreign.Arena;

/**
 * A flyweight over one {@code struct ibv_send_wr} in native memory (ibv_post_send(3)).
 *
 * <p>The setters return {@code this}. The memory belongs to the arena it was allocated from or to whoever wrapped it;
 * after {@code postSend} returns, the request and its scatter/gather list may be reused at once, the data buffers only
 * after the completion (at once with {@link SendFlags#INLINE}). Not thread-safe.
 */
public final class SendWorkRequest {
    private long address;

    /** Wraps nothing yet; call {@link #wrap} first. */
    public SendWorkRequest() {}

    /** A zeroed work request with room for {@code maxSge} elements behind it, to which {@code sg_list} points. */
    public static SendWorkRequest allocate(final Arena arena, final int maxSge) {
        final long address = arena.allocate(SendWrDescriptor.SIZE + (long) maxSge * SgeDescriptor.SIZE, 64)
                .address();
        NativeMemory.putLong(address + SendWrDescriptor.SG_LIST_OFFSET, address + SendWrDescriptor.SIZE);
        return new SendWorkRequest().wrap(address);
    }

    public SendWorkRequest wrap(final long wrAddress) {
        address = wrAddress;
        return this;
    }

    /** Native address of the struct. */
    public long address() {
        return address;
    }

    public long wrId() {
        return NativeMemory.getLong(address + SendWrDescriptor.WR_ID_OFFSET);
    }

    public SendWorkRequest wrId(final long wrId) {
        NativeMemory.putLong(address + SendWrDescriptor.WR_ID_OFFSET, wrId);
        return this;
    }

    /** Address of the next request of the chain, 0 at its end. */
    public long next() {
        return NativeMemory.getLong(address + SendWrDescriptor.NEXT_OFFSET);
    }

    public SendWorkRequest next(final long nextAddress) {
        NativeMemory.putLong(address + SendWrDescriptor.NEXT_OFFSET, nextAddress);
        return this;
    }

    public long sgList() {
        return NativeMemory.getLong(address + SendWrDescriptor.SG_LIST_OFFSET);
    }

    public SendWorkRequest sgList(final long sgListAddress) {
        NativeMemory.putLong(address + SendWrDescriptor.SG_LIST_OFFSET, sgListAddress);
        return this;
    }

    public int numSge() {
        return NativeMemory.getInt(address + SendWrDescriptor.NUM_SGE_OFFSET);
    }

    public SendWorkRequest numSge(final int numSge) {
        NativeMemory.putInt(address + SendWrDescriptor.NUM_SGE_OFFSET, numSge);
        return this;
    }

    /** Writes element {@code index} of the list that {@code sg_list} points to. */
    public SendWorkRequest sge(final int index, final long addr, final int lengthBytes, final int lkey) {
        SgeDescriptor.write(sgList() + (long) index * SgeDescriptor.SIZE, addr, lengthBytes, lkey);
        return this;
    }

    /** Makes element 0 the only one. */
    public SendWorkRequest sge(final long addr, final int lengthBytes, final int lkey) {
        return sge(0, addr, lengthBytes, lkey).numSge(1);
    }

    /** Code of a {@link WrOpcode}. */
    public int opcode() {
        return NativeMemory.getInt(address + SendWrDescriptor.OPCODE_OFFSET);
    }

    public SendWorkRequest opcode(final WrOpcode opcode) {
        NativeMemory.putInt(address + SendWrDescriptor.OPCODE_OFFSET, opcode.code());
        return this;
    }

    /** A combination of {@link SendFlags}. */
    public int sendFlags() {
        return NativeMemory.getInt(address + SendWrDescriptor.SEND_FLAGS_OFFSET);
    }

    public SendWorkRequest sendFlags(final int sendFlags) {
        NativeMemory.putInt(address + SendWrDescriptor.SEND_FLAGS_OFFSET, sendFlags);
        return this;
    }

    /** Immediate data as a number (network order in the struct). */
    public int immData() {
        return Integer.reverseBytes(NativeMemory.getInt(address + SendWrDescriptor.IMM_DATA_OFFSET));
    }

    public SendWorkRequest immData(final int immData) {
        NativeMemory.putInt(address + SendWrDescriptor.IMM_DATA_OFFSET, Integer.reverseBytes(immData));
        return this;
    }

    /** Target of an RDMA WRITE or READ. */
    public SendWorkRequest rdma(final long remoteAddr, final int rkey) {
        NativeMemory.putLong(address + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET, remoteAddr);
        NativeMemory.putInt(address + SendWrDescriptor.RDMA_RKEY_OFFSET, rkey);
        return this;
    }

    /** Remote address of an RDMA or atomic request. */
    public long remoteAddr() {
        return NativeMemory.getLong(address + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET);
    }

    /** Remote key of an RDMA request. */
    public int rkey() {
        return NativeMemory.getInt(address + SendWrDescriptor.RDMA_RKEY_OFFSET);
    }

    /**
     * Target and operands of an atomic.
     *
     * @param compareAdd the value compared with (CMP_AND_SWP) or added (FETCH_AND_ADD)
     * @param swap       the value swapped in; unused by FETCH_AND_ADD
     */
    public SendWorkRequest atomic(final long remoteAddr, final int rkey, final long compareAdd, final long swap) {
        NativeMemory.putLong(address + SendWrDescriptor.ATOMIC_REMOTE_ADDR_OFFSET, remoteAddr);
        NativeMemory.putLong(address + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET, compareAdd);
        NativeMemory.putLong(address + SendWrDescriptor.ATOMIC_SWAP_OFFSET, swap);
        NativeMemory.putInt(address + SendWrDescriptor.ATOMIC_RKEY_OFFSET, rkey);
        return this;
    }

    /** Destination of a UD send; {@code ahHandle} is {@link AddressHandle#handle()}. */
    public SendWorkRequest ud(final long ahHandle, final int remoteQpn, final int remoteQkey) {
        NativeMemory.putLong(address + SendWrDescriptor.UD_AH_OFFSET, ahHandle);
        NativeMemory.putInt(address + SendWrDescriptor.UD_REMOTE_QPN_OFFSET, remoteQpn);
        NativeMemory.putInt(address + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET, remoteQkey);
        return this;
    }
}
