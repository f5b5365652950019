package io.vhca.api;

/** Access rights of a memory region or a QP ({@code enum ibv_access_flags}, ibv_reg_mr(3)). */
public final class AccessFlags {
    /** The device may write: needed for receive buffers and READ targets. */
    public static final int LOCAL_WRITE = 1;

    /** The peer may RDMA WRITE; needs {@link #LOCAL_WRITE}. */
    public static final int REMOTE_WRITE = 1 << 1;

    /** The peer may RDMA READ. */
    public static final int REMOTE_READ = 1 << 2;

    /** The peer may use atomics; needs {@link #LOCAL_WRITE}. */
    public static final int REMOTE_ATOMIC = 1 << 3;

    /** Memory windows may be bound. */
    public static final int MW_BIND = 1 << 4;

    /** Addresses count from 0. */
    public static final int ZERO_BASED = 1 << 5;

    /** On-demand paging. */
    public static final int ON_DEMAND = 1 << 6;

    private AccessFlags() {}
}
