package io.vhca.physical.soft.cm.message;

/**
 * Service id resolution request, SIDR_REQ (vol. 1, section 12.11.1). Big-endian.
 *
 * <pre>
 *  24               28         30           32              40                 256
 *   | request id 32 | P_Key 16 | reserved 16 | service id 64 | private data 216 |
 * </pre>
 */
public final class SidrReqDescriptor {
    public static final int REQUEST_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int PKEY_OFFSET = REQUEST_ID_OFFSET + Integer.BYTES;
    public static final int RESERVED_OFFSET = PKEY_OFFSET + Short.BYTES;
    public static final int SERVICE_ID_OFFSET = RESERVED_OFFSET + Short.BYTES;
    public static final int PRIVATE_DATA_OFFSET = SERVICE_ID_OFFSET + Long.BYTES;
    public static final int PRIVATE_DATA_BYTES = MadDescriptor.SIZE - PRIVATE_DATA_OFFSET;

    static {
        if (PRIVATE_DATA_BYTES != 216) {
            throw new ExceptionInInitializerError("a SIDR_REQ has 216 bytes of private data");
        }
    }

    private SidrReqDescriptor() {}
}
