package io.vhca.api;

import java.lang.foreign.Arena;

/**
 * A flyweight over an array of {@code struct ibv_wc}, the target of {@link CompletionQueue#poll} (ibv_poll_cq(3)).
 *
 * <p>{@link #at} chooses the element that the accessors read. When {@link #status()} is not SUCCESS only
 * {@link #wrId()}, {@link #status()}, {@link #qpNum()} and {@link #vendorErr()} are valid. Not thread-safe.
 */
public final class WorkCompletion {
    private long base;
    private long address;
    private int capacity;

    /** Wraps nothing yet; call {@link #wrap} first. */
    public WorkCompletion() {}

    /** A zeroed array of {@code capacity} completions, element 0 chosen. */
    public static WorkCompletion allocate(final Arena arena, final int capacity) {
        return new WorkCompletion()
                .wrap(arena.allocate((long) capacity * WcDescriptor.SIZE, 64).address(), capacity);
    }

    public WorkCompletion wrap(final long wcAddress, final int count) {
        base = wcAddress;
        address = wcAddress;
        capacity = count;
        return this;
    }

    /** Chooses element {@code index}; unchecked above the lower bound 0 .. capacity - 1 by assertion only. */
    public WorkCompletion at(final int index) {
        assert index >= 0 && index < capacity : "index " + index + " of " + capacity;
        address = base + (long) index * WcDescriptor.SIZE;
        return this;
    }

    /** Native address of element 0. */
    public long address() {
        return base;
    }

    /** How many completions fit. */
    public int capacity() {
        return capacity;
    }

    public long wrId() {
        return NativeMemory.getLong(address + WcDescriptor.WR_ID_OFFSET);
    }

    /** Code of a {@link WcStatus}; 0 is SUCCESS. */
    public int status() {
        return NativeMemory.getInt(address + WcDescriptor.STATUS_OFFSET);
    }

    /** {@link #status()} as a constant, for messages. */
    public WcStatus statusName() {
        return WcStatus.fromCode(status());
    }

    /** Code of a {@link WcOpcode}. */
    public int opcode() {
        return NativeMemory.getInt(address + WcDescriptor.OPCODE_OFFSET);
    }

    public int vendorErr() {
        return NativeMemory.getInt(address + WcDescriptor.VENDOR_ERR_OFFSET);
    }

    /** Bytes received, or transferred by a READ or atomic; undefined for other sends. */
    public int byteLen() {
        return NativeMemory.getInt(address + WcDescriptor.BYTE_LEN_OFFSET);
    }

    /** Immediate data as a number; valid with {@link WcFlags#WITH_IMM}. */
    public int immData() {
        return Integer.reverseBytes(NativeMemory.getInt(address + WcDescriptor.IMM_DATA_OFFSET));
    }

    public int qpNum() {
        return NativeMemory.getInt(address + WcDescriptor.QP_NUM_OFFSET);
    }

    /** Source QP number (UD receives). */
    public int srcQp() {
        return NativeMemory.getInt(address + WcDescriptor.SRC_QP_OFFSET);
    }

    /** A combination of {@link WcFlags}. */
    public int wcFlags() {
        return NativeMemory.getInt(address + WcDescriptor.WC_FLAGS_OFFSET);
    }
}
