package io.vhca.rdp.wire;

/**
 * Data messages without a header. Immediate data says all that a receiver must know of one, or nothing is said: one
 * whose length is a multiple of {@value #LEAST_MTU} goes on after the data message before it on the same connection, is
 * the next of that one's flow and has its flags. The connection that carries control messages has none of these.
 *
 * <pre>
 *   bit 31     30 .. 16                15 .. 0
 *   | last | flow sequence, modulo | flow id |
 * </pre>
 */
public final class BareDescriptor {
    /** Flows with a smaller id can have such messages. */
    public static final int MOST_FLOWS = 1 << 16;

    /** What is a multiple of another path MTU is one of this. */
    private static final int LEAST_MTU = 256;

    private static final int LAST = 1 << 31;
    private static final int SEQUENCE_SHIFT = 16;
    private static final int SEQUENCE_MASK = (1 << 15) - 1;

    private BareDescriptor() {}

    /** Whether a header may make one packet more, whatever the path MTU, or the length one that says nothing. */
    public static boolean isBetter(final int lengthBytes) {
        return lengthBytes > 0 && (lengthBytes - 1) % LEAST_MTU >= LEAST_MTU - MessageDescriptor.SIZE - 1;
    }

    /** Whether nothing need be said by a message of that length, and none with a header has it. */
    public static boolean saysNothing(final int messageBytes) {
        return messageBytes > 0 && messageBytes % LEAST_MTU == 0;
    }

    /** @param flags those of {@link MessageDescriptor} */
    public static int encode(final int flowId, final long sequence, final byte flags) {
        assert flowId >= 0 && flowId < MOST_FLOWS : flowId;
        return ((flags & MessageDescriptor.LAST) != 0 ? LAST : 0)
                | ((int) sequence & SEQUENCE_MASK) << SEQUENCE_SHIFT
                | flowId;
    }

    public static int flowId(final int immediate) {
        return immediate & MOST_FLOWS - 1;
    }

    /** Those of {@link MessageDescriptor}. */
    public static byte flags(final int immediate) {
        return (immediate & LAST) != 0 ? MessageDescriptor.LAST : 0;
    }

    /** The first sequence from that one on that it can mean. */
    public static long sequence(final int immediate, final long expected) {
        return expected + ((immediate >>> SEQUENCE_SHIFT) - expected & SEQUENCE_MASK);
    }
}
