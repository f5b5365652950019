package io.vhca.physical.soft.fabric;

/**
 * What becomes of one packet, packed in a long so that judging allocates nothing.
 *
 * <pre>
 *   63     62          61        60 .. 48         47 .. 32           31 .. 0
 *   | drop | duplicate | corrupt | corrupt offset | copy delay (us) | extra delay (ns) |
 * </pre>
 *
 * An extra delay lets later packets overtake: that is how packets are reordered.
 */
public final class Verdict {
    /** On time, once, untouched. */
    public static final long DELIVER = 0;

    /** Never arrives. */
    public static final long DROP = 1L << 63;

    /** Longest extra delay, ns. */
    public static final long MAX_DELAY_NS = 0xffff_ffffL;

    /** Longest delay of the second copy, us. */
    public static final int MAX_COPY_DELAY_US = 0xffff;

    private static final long DUPLICATE = 1L << 62;
    private static final long CORRUPT = 1L << 61;
    private static final int CORRUPT_SHIFT = 48;
    private static final int CORRUPT_MASK = 0x1fff;
    private static final int COPY_SHIFT = 32;

    private Verdict() {}

    /** Arrives later than it would, by 0 .. {@link #MAX_DELAY_NS}. */
    public static long delay(final long verdict, final long extraDelayNs) {
        return verdict & ~MAX_DELAY_NS | Math.min(extraDelayNs, MAX_DELAY_NS);
    }

    /** Arrives twice, the copy {@code copyDelayUs} after the first, 0 .. {@link #MAX_COPY_DELAY_US}. */
    public static long duplicate(final long verdict, final int copyDelayUs) {
        return verdict | DUPLICATE | (long) Math.min(copyDelayUs, MAX_COPY_DELAY_US) << COPY_SHIFT;
    }

    /** Arrives with one bit flipped in the byte at {@code offset} modulo the packet's length. */
    public static long corrupt(final long verdict, final int offset) {
        return verdict | CORRUPT | (long) (offset & CORRUPT_MASK) << CORRUPT_SHIFT;
    }

    public static boolean isDrop(final long verdict) {
        return verdict < 0;
    }

    public static boolean isDuplicate(final long verdict) {
        return (verdict & DUPLICATE) != 0;
    }

    public static boolean isCorrupt(final long verdict) {
        return (verdict & CORRUPT) != 0;
    }

    static long extraDelayNs(final long verdict) {
        return verdict & MAX_DELAY_NS;
    }

    static long copyDelayNs(final long verdict) {
        return (verdict >>> COPY_SHIFT & MAX_COPY_DELAY_US) * 1_000;
    }

    static int corruptOffset(final long verdict) {
        return (int) (verdict >>> CORRUPT_SHIFT) & CORRUPT_MASK;
    }
}
