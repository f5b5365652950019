package io.vhca.physical.soft.cm.message;

/**
 * Connection request, REQ (vol. 1, section 12.6.5). Big-endian; every word is 4 bytes.
 *
 * <pre>
 *  24 | local communication id
 *  28 | reserved
 *  32 | service id (2 words)
 *  40 | local CA GUID (2 words)
 *  48 | reserved
 *  52 | local Q_Key
 *  56 | local QPN 24                     | responder resources 8
 *  60 | local EECN 24                    | initiator depth 8
 *  64 | remote EECN 24                   | remote CM response timeout 5, transport service type 2, flow control 1
 *  68 | starting PSN 24                  | local CM response timeout 5, retry count 3
 *  72 | P_Key 16     | path MTU 4, RDC exists 1, RNR retry count 3 | max CM retries 4, SRQ 1, extended type 3
 *  76 | primary local LID 16             | primary remote LID 16
 *  80 | primary local GID (4 words)
 *  96 | primary remote GID (4 words)
 * 112 | flow label 20, reserved 6, packet rate 6
 * 116 | traffic class 8 | hop limit 8    | SL 4, subnet local 1, reserved 3 | local ack timeout 5, reserved 3
 * 120 | alternate path, as the primary (11 words)
 * 164 | private data (23 words)
 * 256
 * </pre>
 */
public final class ReqDescriptor {
    public static final int LOCAL_COMM_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int RESERVED_OFFSET = LOCAL_COMM_ID_OFFSET + Integer.BYTES;
    public static final int SERVICE_ID_OFFSET = RESERVED_OFFSET + Integer.BYTES;
    public static final int CA_GUID_OFFSET = SERVICE_ID_OFFSET + Long.BYTES;
    public static final int RESERVED_2_OFFSET = CA_GUID_OFFSET + Long.BYTES;
    public static final int QKEY_OFFSET = RESERVED_2_OFFSET + Integer.BYTES;
    public static final int QPN_OFFSET = QKEY_OFFSET + Integer.BYTES;
    public static final int LOCAL_EECN_OFFSET = QPN_OFFSET + Integer.BYTES;
    public static final int REMOTE_EECN_OFFSET = LOCAL_EECN_OFFSET + Integer.BYTES;
    public static final int PSN_OFFSET = REMOTE_EECN_OFFSET + Integer.BYTES;
    public static final int PKEY_OFFSET = PSN_OFFSET + Integer.BYTES;
    public static final int MTU_RNR_OFFSET = PKEY_OFFSET + Short.BYTES;
    public static final int CM_RETRIES_OFFSET = MTU_RNR_OFFSET + Byte.BYTES;
    public static final int LOCAL_LID_OFFSET = CM_RETRIES_OFFSET + Byte.BYTES;
    public static final int REMOTE_LID_OFFSET = LOCAL_LID_OFFSET + Short.BYTES;
    public static final int LOCAL_GID_OFFSET = REMOTE_LID_OFFSET + Short.BYTES;
    public static final int REMOTE_GID_OFFSET = LOCAL_GID_OFFSET + 2 * Long.BYTES;
    public static final int FLOW_RATE_OFFSET = REMOTE_GID_OFFSET + 2 * Long.BYTES;
    public static final int TRAFFIC_CLASS_OFFSET = FLOW_RATE_OFFSET + Integer.BYTES;
    public static final int HOP_LIMIT_OFFSET = TRAFFIC_CLASS_OFFSET + Byte.BYTES;
    public static final int SL_OFFSET = HOP_LIMIT_OFFSET + Byte.BYTES;
    public static final int ACK_TIMEOUT_OFFSET = SL_OFFSET + Byte.BYTES;
    public static final int ALTERNATE_OFFSET = ACK_TIMEOUT_OFFSET + Byte.BYTES;
    public static final int PRIVATE_DATA_OFFSET = ALTERNATE_OFFSET + 11 * Integer.BYTES;
    public static final int PRIVATE_DATA_BYTES = MadDescriptor.SIZE - PRIVATE_DATA_OFFSET;

    static {
        if (PRIVATE_DATA_BYTES != 92) {
            throw new ExceptionInInitializerError("a REQ has 92 bytes of private data, not " + PRIVATE_DATA_BYTES);
        }
    }

    private ReqDescriptor() {}
}
