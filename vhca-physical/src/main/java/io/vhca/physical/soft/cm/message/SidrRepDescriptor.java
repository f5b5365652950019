package io.vhca.physical.soft.cm.message;

import io.vhca.api.cm.ConnectParameters;

/**
 * Service id resolution response, SIDR_REP (vol. 1, section 12.11.2). Big-endian.
 *
 * <pre>
 *  24               28         29             30           32                    36              44
 *   | request id 32 | status 8 | info length 8 | reserved 16 | QPN 24, reserved 8 | service id 64 |
 *  44           48                      120                 256
 *   | Q_Key 32  | additional information 72 | private data 136 |
 * </pre>
 */
public final class SidrRepDescriptor {
    public static final int REQUEST_ID_OFFSET = MadDescriptor.HEADER_BYTES;
    public static final int STATUS_OFFSET = REQUEST_ID_OFFSET + Integer.BYTES;
    public static final int INFO_LENGTH_OFFSET = STATUS_OFFSET + Byte.BYTES;
    public static final int RESERVED_OFFSET = INFO_LENGTH_OFFSET + Byte.BYTES;
    public static final int QPN_OFFSET = RESERVED_OFFSET + Short.BYTES;
    public static final int SERVICE_ID_OFFSET = QPN_OFFSET + Integer.BYTES;
    public static final int QKEY_OFFSET = SERVICE_ID_OFFSET + Long.BYTES;
    public static final int INFO_OFFSET = QKEY_OFFSET + Integer.BYTES;
    public static final int PRIVATE_DATA_OFFSET = INFO_OFFSET + 72;
    public static final int PRIVATE_DATA_BYTES = MadDescriptor.SIZE - PRIVATE_DATA_OFFSET;

    public static final int STATUS_VALID = 0;
    public static final int STATUS_UNSUPPORTED = 1;
    public static final int STATUS_REJECT = 2;

    static {
        if (PRIVATE_DATA_BYTES != ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA) {
            throw new ExceptionInInitializerError("a SIDR_REP has 136 bytes of private data");
        }
    }

    private SidrRepDescriptor() {}
}
