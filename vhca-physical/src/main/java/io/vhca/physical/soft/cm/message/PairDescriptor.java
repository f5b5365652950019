package io.vhca.physical.soft.cm.message;

/**
 * Messages that name nothing but the pair of communication ids: RTU, ready to use, and DREP, reply to a disconnect
 * (vol. 1, sections 12.6.9 and 12.6.11); and DREQ, request to disconnect (section 12.6.10), which adds the receiver's
 * QP number. Big-endian.
 *
 * <pre>
 *            24                 28                  32                                36
 * RTU, DREP   | local comm id 32 | remote comm id 32 | private data 224 ...
 * DREQ        | local comm id 32 | remote comm id 32 | remote QPN 24, reserved 8      | private data 220 ...
 * </pre>
 */
public final class PairDescriptor {
    public static final int LOCAL_COMM_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int REMOTE_COMM_ID_OFFSET = LOCAL_COMM_ID_OFFSET + Integer.BYTES;
    public static final int PRIVATE_DATA_OFFSET = REMOTE_COMM_ID_OFFSET + Integer.BYTES;
    public static final int DREQ_QPN_OFFSET = PRIVATE_DATA_OFFSET;

    static {
        if (MadDescriptor.SIZE - PRIVATE_DATA_OFFSET != 224) {
            throw new ExceptionInInitializerError("an RTU has 224 bytes of private data");
        }
    }

    private PairDescriptor() {}
}
