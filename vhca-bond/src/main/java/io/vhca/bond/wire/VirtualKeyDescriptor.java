package io.vhca.bond.wire;

/**
 * Layout of a virtual key (vlkey and vrkey alike).
 *
 * <pre>
 *   31             12 11           0
 *   |  index          | generation |
 * </pre>
 *
 * <p>The index leads to the physical keys by one array read. The generation tells the regions that had the same index
 * one after another apart: a key that outlives its region is not valid for the next one. Both halves are as wide as
 * they can be: an index of 20 bits is more regions than devices have.
 */
public final class VirtualKeyDescriptor {
    public static final int GENERATION_BITS = 12;
    static final int INDEX_BITS = Integer.SIZE - GENERATION_BITS;

    /** Indexes lie below; the last one of the layout is left out, so that all ones are no key. */
    public static final int MAX_INDEX = (1 << INDEX_BITS) - 1;

    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

    static {
        if (key(MAX_INDEX, GENERATION_MASK) != -1) {
            throw new ExceptionInInitializerError("index and generation do not fill a key");
        }
    }

    private VirtualKeyDescriptor() {}

    public static int index(final int virtualKey) {
        return virtualKey >>> GENERATION_BITS;
    }

    public static int generation(final int virtualKey) {
        return virtualKey & GENERATION_MASK;
    }

    /** The key of an index; of the generation, the low bits count. */
    public static int key(final int index, final int generation) {
        return index << GENERATION_BITS | generation & GENERATION_MASK;
    }
}
