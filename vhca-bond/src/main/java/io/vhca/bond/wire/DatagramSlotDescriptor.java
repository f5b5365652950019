package io.vhca.bond.wire;

/**
 * Layout of what a send slot keeps for a vQP for datagrams, within {@link SendSlotDescriptor}: the destination as the
 * application named it.
 *
 * <pre>
 *   144                  152    156   160
 *   | handle of the vAH  | vQPN | pad |
 * </pre>
 */
public final class DatagramSlotDescriptor {
    public static final int HANDLE_OFFSET = SendSlotDescriptor.SERVICE_OFFSET;
    public static final int QP_NUM_OFFSET = HANDLE_OFFSET + Long.BYTES;
    static final int SIZE = QP_NUM_OFFSET + Integer.BYTES - SendSlotDescriptor.SERVICE_OFFSET;

    static {
        if (SIZE > SendSlotDescriptor.SERVICE_SIZE) {
            throw new ExceptionInInitializerError(
                    "a datagram keeps " + SIZE + " bytes in a slot with room for " + SendSlotDescriptor.SERVICE_SIZE);
        }
    }

    private DatagramSlotDescriptor() {}
}
