package io.vhca.physical.soft.cm.message;

import io.vhca.api.cm.ConnectParameters;

/**
 * The header that rdma_cm puts in front of the user's private data in a REQ and a SIDR_REQ: the IP addressing of annex
 * A11. Big-endian.
 *
 * <pre>
 *   0                1                          2             4                20                    36
 *   | version 4 + 4  | IP version 4, reserved 4 | source port | source address | destination address |
 * </pre>
 *
 * An IPv4 address stands in the last four of its 16 bytes, the others are zero.
 */
public final class CmaHeaderDescriptor {
    public static final int VERSION_OFFSET = 0;
    public static final int IP_VERSION_OFFSET = VERSION_OFFSET + Byte.BYTES;
    public static final int PORT_OFFSET = IP_VERSION_OFFSET + Byte.BYTES;
    public static final int SOURCE_OFFSET = PORT_OFFSET + Short.BYTES;
    public static final int DESTINATION_OFFSET = SOURCE_OFFSET + 2 * Long.BYTES;
    public static final int SIZE = DESTINATION_OFFSET + 2 * Long.BYTES;

    static {
        if (ReqDescriptor.PRIVATE_DATA_BYTES - SIZE != ConnectParameters.MAX_REQ_PRIVATE_DATA) {
            throw new ExceptionInInitializerError("a REQ leaves the user 56 bytes");
        }
    }

    private CmaHeaderDescriptor() {}
}
