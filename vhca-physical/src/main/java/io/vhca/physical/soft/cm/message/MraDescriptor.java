package io.vhca.physical.soft.cm.message;

/**
 * Message receipt acknowledgement, MRA: the answer will take its time (vol. 1, section 12.6.6). Big-endian.
 *
 * <pre>
 *  24                 28                  32                              33                             34       256
 *   | local comm id 32 | remote comm id 32 | message MRAed 2, reserved 6 | service timeout 5, reserved 3 | private |
 * </pre>
 */
public final class MraDescriptor {
    public static final int LOCAL_COMM_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int REMOTE_COMM_ID_OFFSET = LOCAL_COMM_ID_OFFSET + Integer.BYTES;
    public static final int MESSAGE_OFFSET = REMOTE_COMM_ID_OFFSET + Integer.BYTES;
    public static final int SERVICE_TIMEOUT_OFFSET = MESSAGE_OFFSET + Byte.BYTES;
    public static final int PRIVATE_DATA_OFFSET = SERVICE_TIMEOUT_OFFSET + Byte.BYTES;

    static {
        if (MadDescriptor.SIZE - PRIVATE_DATA_OFFSET != 222) {
            throw new ExceptionInInitializerError("an MRA has 222 bytes of private data");
        }
    }

    private MraDescriptor() {}
}
