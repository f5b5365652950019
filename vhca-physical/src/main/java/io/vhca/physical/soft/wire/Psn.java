package io.vhca.physical.soft.wire;

/**
 * Arithmetic of packet sequence numbers: 24 bits that wrap (IB spec vol. 1, 9.7.1).
 *
 * <p>The engine counts packets in 64 bits, which never wrap, and cuts them to 24 on the wire.
 */
public final class Psn {
    private static final int UNUSED_BITS = Integer.SIZE - 24;

    private Psn() {}

    /** The 24 bits that go on the wire. */
    public static int of(final long sequence) {
        return (int) sequence & Wire.MASK_24;
    }

    /** How far {@code psn} is behind (negative) or ahead of {@code reference}, -2^23 .. 2^23 - 1. */
    public static int difference(final int psn, final int reference) {
        return psn - reference << UNUSED_BITS >> UNUSED_BITS;
    }

    /** The 64-bit sequence nearest to {@code reference} whose low 24 bits are {@code psn}. */
    public static long sequenceNear(final int psn, final long reference) {
        return reference + difference(psn, of(reference));
    }
}
