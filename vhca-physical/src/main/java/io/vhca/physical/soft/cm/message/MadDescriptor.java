package io.vhca.physical.soft.cm.message;

/**
 * Header of a management datagram (vol. 1, section 13.4.3), big-endian.
 *
 * <pre>
 *   0              1            2               3        4        6                8
 *   | base version | mgmt class | class version | method | status | class specific |
 *   8                16        18         20              24
 *   | transaction id | attr id | reserved | attr modifier | 232 bytes of the message ...
 * </pre>
 */
public final class MadDescriptor {
    public static final int BASE_VERSION_OFFSET = 0;
    public static final int CLASS_OFFSET = BASE_VERSION_OFFSET + Byte.BYTES;
    public static final int CLASS_VERSION_OFFSET = CLASS_OFFSET + Byte.BYTES;
    public static final int METHOD_OFFSET = CLASS_VERSION_OFFSET + Byte.BYTES;
    public static final int STATUS_OFFSET = METHOD_OFFSET + Byte.BYTES;
    public static final int CLASS_SPECIFIC_OFFSET = STATUS_OFFSET + Short.BYTES;
    public static final int TRANSACTION_OFFSET = CLASS_SPECIFIC_OFFSET + Short.BYTES;
    public static final int ATTRIBUTE_OFFSET = TRANSACTION_OFFSET + Long.BYTES;
    public static final int RESERVED_OFFSET = ATTRIBUTE_OFFSET + Short.BYTES;
    public static final int MODIFIER_OFFSET = RESERVED_OFFSET + Short.BYTES;
    public static final int HEADER_BYTES = MODIFIER_OFFSET + Integer.BYTES;
    public static final int SIZE = 256;

    public static final int BASE_VERSION = 1;
    public static final int CLASS_CM = 0x07;
    public static final int CLASS_VERSION_CM = 2;
    public static final int METHOD_SEND = 0x03;

    static {
        if (HEADER_BYTES != 24) {
            throw new ExceptionInInitializerError("a MAD header is 24 bytes, not " + HEADER_BYTES);
        }
    }

    private MadDescriptor() {}
}
