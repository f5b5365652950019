package io.vhca.physical.soft.cm.message;

import io.vhca.api.cm.ConnectParameters;

/**
 * Rejection, REJ (vol. 1, section 12.6.7). Big-endian.
 *
 * <pre>
 *  24                 28                  32                                33
 *   | local comm id 32 | remote comm id 32 | message rejected 2, reserved 6 | info length 7, reserved 1 |
 *  34          36                                    108                    256
 *   | reason 16 | additional rejection information 72 | private data 148      |
 * </pre>
 */
public final class RejDescriptor {
    public static final int LOCAL_COMM_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int REMOTE_COMM_ID_OFFSET = LOCAL_COMM_ID_OFFSET + Integer.BYTES;
    public static final int MESSAGE_OFFSET = REMOTE_COMM_ID_OFFSET + Integer.BYTES;
    public static final int INFO_LENGTH_OFFSET = MESSAGE_OFFSET + Byte.BYTES;
    public static final int REASON_OFFSET = INFO_LENGTH_OFFSET + Byte.BYTES;
    public static final int INFO_OFFSET = REASON_OFFSET + Short.BYTES;
    public static final int PRIVATE_DATA_OFFSET = INFO_OFFSET + 72;
    public static final int PRIVATE_DATA_BYTES = MadDescriptor.SIZE - PRIVATE_DATA_OFFSET;

    /** Message rejected: a REQ. */
    public static final int MESSAGE_REQ = 0;
    /** Message rejected: a REP. */
    public static final int MESSAGE_REP = 1;
    /** Message rejected: none, the sender gave up waiting. */
    public static final int MESSAGE_OTHER = 2;

    static {
        if (PRIVATE_DATA_BYTES != ConnectParameters.MAX_REJ_PRIVATE_DATA) {
            throw new ExceptionInInitializerError("a REJ has 148 bytes of private data, not " + PRIVATE_DATA_BYTES);
        }
    }

    private RejDescriptor() {}
}
