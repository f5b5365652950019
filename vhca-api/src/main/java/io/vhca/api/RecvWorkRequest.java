package io.vhca.api;

import java.lang.foreign.Arena;

/**
 * A flyweight over one {@code struct ibv_recv_wr} in native memory (ibv_post_recv(3)).
 *
 * <p>After {@code postRecv} returns, the request and its scatter/gather list may be reused at once, the buffers belong
 * to the device until the completion. Not thread-safe.
 */
public final class RecvWorkRequest {
    private long address;

    /** Wraps nothing yet; call {@link #wrap} first. */
    public RecvWorkRequest() {}

    /** A zeroed work request with room for {@code maxSge} elements behind it, to which {@code sg_list} points. */
    public static RecvWorkRequest allocate(final Arena arena, final int maxSge) {
        final long address = arena.allocate(RecvWrDescriptor.SIZE + (long) maxSge * SgeDescriptor.SIZE, 64)
                .address();
        NativeMemory.putLong(address + RecvWrDescriptor.SG_LIST_OFFSET, address + RecvWrDescriptor.SIZE);
        return new RecvWorkRequest().wrap(address);
    }

    public RecvWorkRequest wrap(final long wrAddress) {
        address = wrAddress;
        return this;
    }

    /** Native address of the struct. */
    public long address() {
        return address;
    }

    public long wrId() {
        return NativeMemory.getLong(address + RecvWrDescriptor.WR_ID_OFFSET);
    }

    public RecvWorkRequest wrId(final long wrId) {
        NativeMemory.putLong(address + RecvWrDescriptor.WR_ID_OFFSET, wrId);
        return this;
    }

    /** Address of the next request of the chain, 0 at its end. */
    public long next() {
        return NativeMemory.getLong(address + RecvWrDescriptor.NEXT_OFFSET);
    }

    public RecvWorkRequest next(final long nextAddress) {
        NativeMemory.putLong(address + RecvWrDescriptor.NEXT_OFFSET, nextAddress);
        return this;
    }

    public long sgList() {
        return NativeMemory.getLong(address + RecvWrDescriptor.SG_LIST_OFFSET);
    }

    public RecvWorkRequest sgList(final long sgListAddress) {
        NativeMemory.putLong(address + RecvWrDescriptor.SG_LIST_OFFSET, sgListAddress);
        return this;
    }

    public int numSge() {
        return NativeMemory.getInt(address + RecvWrDescriptor.NUM_SGE_OFFSET);
    }

    public RecvWorkRequest numSge(final int numSge) {
        NativeMemory.putInt(address + RecvWrDescriptor.NUM_SGE_OFFSET, numSge);
        return this;
    }

    /** Writes element {@code index} of the list that {@code sg_list} points to. */
    public RecvWorkRequest sge(final int index, final long addr, final int lengthBytes, final int lkey) {
        SgeDescriptor.write(sgList() + (long) index * SgeDescriptor.SIZE, addr, lengthBytes, lkey);
        return this;
    }

    /** Makes element 0 the only one. */
    public RecvWorkRequest sge(final long addr, final int lengthBytes, final int lkey) {
        return sge(0, addr, lengthBytes, lkey).numSge(1);
    }
}
