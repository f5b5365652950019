package io.vhca.bond.wire;

/**
 * Layout of what a send slot keeps for a connected vQP, within {@link SendSlotDescriptor}.
 *
 * <pre>
 *   144     148   160
 *   | vrkey | pad |
 * </pre>
 */
public final class ConnectedSlotDescriptor {
    /** The remote key as posted. */
    public static final int VRKEY_OFFSET = SendSlotDescriptor.SERVICE_OFFSET;

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
