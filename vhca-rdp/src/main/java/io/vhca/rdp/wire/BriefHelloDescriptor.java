package io.vhca.rdp.wire;

/**
 * What who calls says of itself where there is no room for more: a bond with a key leaves 16 bytes to applications. It
 * has all of {@link HelloDescriptor}, of a node whose address is one of IPv4. Big-endian; the magic tells the version
 * too.
 *
 * <pre>
 *    63      47            35                    23      18        13           8
 *    | magic | credits - 1 | control credits - 1 | class | classes | size shift | features |
 *    0        8         12
 *    | fields | session | address |
 * </pre>
 */
final class BriefHelloDescriptor {
    /** "Rd". */
    static final short MAGIC = 0x5264;

    static final int FIELDS_OFFSET = 0;
    static final int SESSION_OFFSET = FIELDS_OFFSET + Long.BYTES;
    static final int ADDRESS_OFFSET = SESSION_OFFSET + Integer.BYTES;
    static final int ADDRESS_SIZE = 4;
    static final int SIZE = ADDRESS_OFFSET + ADDRESS_SIZE;

    private static final int MAGIC_SHIFT = 48;
    private static final int CREDITS_SHIFT = 36;
    private static final int CONTROL_CREDITS_SHIFT = 24;
    private static final int CREDITS_MASK = 0xfff;
    private static final int CLASS_SHIFT = 19;
    private static final int CLASSES_SHIFT = 14;
    private static final int SIZE_SHIFT_SHIFT = 9;
    private static final int SMALL_MASK = 0x1f;
    private static final int FEATURES_MASK = 0x1ff;

    static {
        MessageDescriptor.checkSize("brief hello", SIZE, 16);
    }

    private BriefHelloDescriptor() {}

    static long encode(
            final int credits, final int controlCredits, final int laneIndex, final int lanes, final int sizeShift,
            final int features) {
        assert credits > 0 && credits - 1 <= CREDITS_MASK : credits;
        assert controlCredits > 0 && controlCredits - 1 <= CREDITS_MASK : controlCredits;
        assert laneIndex < lanes && lanes <= SMALL_MASK && sizeShift <= SMALL_MASK : lanes + " classes";
        assert (features & ~FEATURES_MASK) == 0 : features;
        return (long) MAGIC << MAGIC_SHIFT
                | (long) (credits - 1) << CREDITS_SHIFT
                | (long) (controlCredits - 1) << CONTROL_CREDITS_SHIFT
                | (long) laneIndex << CLASS_SHIFT
                | (long) lanes << CLASSES_SHIFT
                | (long) sizeShift << SIZE_SHIFT_SHIFT
                | features;
    }

    static short magic(final long fields) {
        return (short) (fields >>> MAGIC_SHIFT);
    }

    static int credits(final long fields) {
        return ((int) (fields >>> CREDITS_SHIFT) & CREDITS_MASK) + 1;
    }

    static int controlCredits(final long fields) {
        return ((int) (fields >>> CONTROL_CREDITS_SHIFT) & CREDITS_MASK) + 1;
    }

    static int laneIndex(final long fields) {
        return (int) (fields >>> CLASS_SHIFT) & SMALL_MASK;
    }

    static int lanes(final long fields) {
        return (int) (fields >>> CLASSES_SHIFT) & SMALL_MASK;
    }

    static int sizeShift(final long fields) {
        return (int) (fields >>> SIZE_SHIFT_SHIFT) & SMALL_MASK;
    }

    static int features(final long fields) {
        return (int) fields & FEATURES_MASK;
    }
}
