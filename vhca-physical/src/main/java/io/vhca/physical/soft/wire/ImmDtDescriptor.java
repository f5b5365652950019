package io.vhca.physical.soft.wire;

/**
 * Immediate data (IB spec vol. 1, 9.3.6): 4 bytes that the transport passes on as they are.
 *
 * <pre>
 *   0           4
 *   | immediate |
 * </pre>
 */
public final class ImmDtDescriptor {
    public static final int IMMEDIATE_OFFSET = 0;
    public static final int SIZE = IMMEDIATE_OFFSET + Integer.BYTES;

    private ImmDtDescriptor() {}
}
