package io.vhca.api;

/**
 * Layout of {@code struct ibv_send_wr} on a 64-bit machine (rdma-core, verbs.h).
 *
 * <pre>
 *   0        8       16         24        28       32           36        40
 *   | wr_id  | next  | sg_list  | num_sge | opcode | send_flags | imm_data |
 *
 *   rdma:    40 remote_addr   48 rkey
 *   atomic:  40 remote_addr   48 compare_add   56 swap   64 rkey
 *   ud:      40 ah            48 remote_qpn    52 remote_qkey
 *
 *   72 xrc.remote_srqn   80 bind_mw / tso   128
 * </pre>
 */
public final class SendWrDescriptor {
    public static final int WR_ID_OFFSET = 0;
    public static final int NEXT_OFFSET = WR_ID_OFFSET + Long.BYTES;
    public static final int SG_LIST_OFFSET = NEXT_OFFSET + Long.BYTES;
    public static final int NUM_SGE_OFFSET = SG_LIST_OFFSET + Long.BYTES;
    public static final int OPCODE_OFFSET = NUM_SGE_OFFSET + Integer.BYTES;
    public static final int SEND_FLAGS_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    /** Big-endian, as it goes on the wire; also {@code invalidate_rkey}, in host order. */
    public static final int IMM_DATA_OFFSET = SEND_FLAGS_OFFSET + Integer.BYTES;

    private static final int UNION_OFFSET = IMM_DATA_OFFSET + Integer.BYTES;

    public static final int RDMA_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    public static final int RDMA_RKEY_OFFSET = RDMA_REMOTE_ADDR_OFFSET + Long.BYTES;

    public static final int ATOMIC_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    public static final int ATOMIC_COMPARE_ADD_OFFSET = ATOMIC_REMOTE_ADDR_OFFSET + Long.BYTES;
    public static final int ATOMIC_SWAP_OFFSET = ATOMIC_COMPARE_ADD_OFFSET + Long.BYTES;
    public static final int ATOMIC_RKEY_OFFSET = ATOMIC_SWAP_OFFSET + Long.BYTES;

    public static final int UD_AH_OFFSET = UNION_OFFSET;
    public static final int UD_REMOTE_QPN_OFFSET = UD_AH_OFFSET + Long.BYTES;
    public static final int UD_REMOTE_QKEY_OFFSET = UD_REMOTE_QPN_OFFSET + Integer.BYTES;

    public static final int XRC_REMOTE_SRQN_OFFSET = ATOMIC_RKEY_OFFSET + Long.BYTES;
    /** Start of the bind_mw and tso union. */
    public static final int BIND_MW_OFFSET = XRC_REMOTE_SRQN_OFFSET + Long.BYTES;

    public static final int SIZE = BIND_MW_OFFSET + 48;

    static {
        if (SIZE != 128) {
            throw new ExceptionInInitializerError("ibv_send_wr is 128 bytes, not " + SIZE);
        }
    }

    private SendWrDescriptor() {}
}
