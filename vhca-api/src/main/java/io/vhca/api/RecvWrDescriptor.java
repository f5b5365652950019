package io.vhca.api;

/**
 * Layout of {@code struct ibv_recv_wr} on a 64-bit machine.
 *
 * <pre>
 *   0        8       16         24        28    32
 *   | wr_id  | next  | sg_list  | num_sge | pad |
 * </pre>
 */
public final class RecvWrDescriptor {
    public static final int WR_ID_OFFSET = 0;
    public static final int NEXT_OFFSET = WR_ID_OFFSET + Long.BYTES;
    public static final int SG_LIST_OFFSET = NEXT_OFFSET + Long.BYTES;
    public static final int NUM_SGE_OFFSET = SG_LIST_OFFSET + Long.BYTES;
    public static final int SIZE = NUM_SGE_OFFSET + 2 * Integer.BYTES;

    static {
        if (SIZE != 32) {
            throw new ExceptionInInitializerError("ibv_recv_wr is 32 bytes, not " + SIZE);
        }
    }

    private RecvWrDescriptor() {}
}
