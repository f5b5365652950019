package io.vhca.bond.wire;

/**
 * Layout of what a send slot keeps for a connected vQP, within {@link SendSlotDescriptor}.
 *
 * <pre>
 *   144                152     156   160
 *   | messages through | vrkey | pad |
 * </pre>
 */
public final class ConnectedSlotDescriptor {
    /** How many requests up to and including this one consume a receive at the peer, since the vQP was born. */
    public static final int MESSAGES_OFFSET = SendSlotDescriptor.SERVICE_OFFSET;

    public static final int VRKEY_OFFSET = MESSAGES_OFFSET + Long.BYTES;
    static final int SIZE = VRKEY_OFFSET + Integer.BYTES - SendSlotDescriptor.SERVICE_OFFSET;

    static {
        if (SIZE > SendSlotDescriptor.SERVICE_SIZE) {
            throw new ExceptionInInitializerError(
                    "a connected vQP keeps " + SIZE + " bytes in a slot with room for "
                            + SendSlotDescriptor.SERVICE_SIZE);
        }
    }

    private ConnectedSlotDescriptor() {}
}
