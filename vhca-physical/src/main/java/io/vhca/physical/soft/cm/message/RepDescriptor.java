package io.vhca.physical.soft.cm.message;

import io.vhca.api.cm.ConnectParameters;

/**
 * Reply to a connection request, REP (vol. 1, section 12.6.8). Big-endian; every word is 4 bytes.
 *
 * <pre>
 *  24 | local communication id
 *  28 | remote communication id
 *  32 | local Q_Key
 *  36 | local QPN 24             | reserved 8
 *  40 | local EECN 24            | reserved 8
 *  44 | starting PSN 24          | reserved 8
 *  48 | responder resources 8 | initiator depth 8 | ack delay 5, failover 2, flow 1 | RNR retry 3, SRQ 1, reserved 4
 *  52 | local CA GUID (2 words)
 *  60 | private data (49 words)
 * 256
 * </pre>
 */
public final class RepDescriptor {
    public static final int LOCAL_COMM_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int REMOTE_COMM_ID_OFFSET = LOCAL_COMM_ID_OFFSET + Integer.BYTES;
    public static final int QKEY_OFFSET = REMOTE_COMM_ID_OFFSET + Integer.BYTES;
    public static final int QPN_OFFSET = QKEY_OFFSET + Integer.BYTES;
    public static final int EECN_OFFSET = QPN_OFFSET + Integer.BYTES;
    public static final int PSN_OFFSET = EECN_OFFSET + Integer.BYTES;
    public static final int RESPONDER_RESOURCES_OFFSET = PSN_OFFSET + Integer.BYTES;
    public static final int INITIATOR_DEPTH_OFFSET = RESPONDER_RESOURCES_OFFSET + Byte.BYTES;
    public static final int ACK_DELAY_OFFSET = INITIATOR_DEPTH_OFFSET + Byte.BYTES;
    public static final int RNR_RETRY_OFFSET = ACK_DELAY_OFFSET + Byte.BYTES;
    public static final int CA_GUID_OFFSET = RNR_RETRY_OFFSET + Byte.BYTES;
    public static final int PRIVATE_DATA_OFFSET = CA_GUID_OFFSET + Long.BYTES;
    public static final int PRIVATE_DATA_BYTES = MadDescriptor.SIZE - PRIVATE_DATA_OFFSET;

    static {
        if (PRIVATE_DATA_BYTES != ConnectParameters.MAX_REP_PRIVATE_DATA) {
            throw new ExceptionInInitializerError("a REP has 196 bytes of private data, not " + PRIVATE_DATA_BYTES);
        }
    }

    private RepDescriptor() {}
}
