package io.vhca.api;

/**
 * Layout of {@code struct ibv_wc} on a 64-bit machine.
 *
 * <pre>
 *   0        8        12       16           20         24         28
 *   | wr_id  | status | opcode | vendor_err | byte_len | imm_data |
 *   28       32       36         40           42     44   45               46    48
 *   | qp_num | src_qp | wc_flags | pkey_index | slid | sl | dlid_path_bits | pad |
 * </pre>
 */
public final class WcDescriptor {
    public static final int WR_ID_OFFSET = 0;
    public static final int STATUS_OFFSET = WR_ID_OFFSET + Long.BYTES;
    public static final int OPCODE_OFFSET = STATUS_OFFSET + Integer.BYTES;
    public static final int VENDOR_ERR_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    public static final int BYTE_LEN_OFFSET = VENDOR_ERR_OFFSET + Integer.BYTES;
    /** Big-endian, as it came from the wire; also {@code invalidated_rkey}, in host order. */
    public static final int IMM_DATA_OFFSET = BYTE_LEN_OFFSET + Integer.BYTES;
    public static final int QP_NUM_OFFSET = IMM_DATA_OFFSET + Integer.BYTES;
    public static final int SRC_QP_OFFSET = QP_NUM_OFFSET + Integer.BYTES;
    public static final int WC_FLAGS_OFFSET = SRC_QP_OFFSET + Integer.BYTES;
    public static final int PKEY_INDEX_OFFSET = WC_FLAGS_OFFSET + Integer.BYTES;
    public static final int SLID_OFFSET = PKEY_INDEX_OFFSET + Short.BYTES;
    public static final int SL_OFFSET = SLID_OFFSET + Short.BYTES;
    public static final int DLID_PATH_BITS_OFFSET = SL_OFFSET + Byte.BYTES;
    public static final int SIZE = DLID_PATH_BITS_OFFSET + Byte.BYTES + Short.BYTES;

    static {
        if (SIZE != 48) {
            throw new ExceptionInInitializerError("ibv_wc is 48 bytes, not " + SIZE);
        }
    }

    private WcDescriptor() {}
}
