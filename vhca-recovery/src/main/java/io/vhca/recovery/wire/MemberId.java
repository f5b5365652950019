package io.vhca.recovery.wire;

/**
 * A member of a bond, as records between bonds name it.
 *
 * @param index its index in its bond, 0 to 15
 * @param generation which of the devices that came to that index it is, counted from 0 and wrapped after 15: who knows
 * keys of another generation knows that they are void
 */
public record MemberId(int index, int generation) {
    /** As many members as a bond can have. */
    public static final int MAX_MEMBERS = 1 << SenderDescriptor.MEMBER_BITS;

    /** So many comings to an index are told apart. */
    public static final int GENERATIONS = 1 << SenderDescriptor.GENERATION_BITS;

    /** Throws IllegalArgumentException for an index or a generation out of range. */
    public MemberId {
        if (index < 0 || index >= MAX_MEMBERS || generation < 0 || generation >= GENERATIONS) {
            throw new IllegalArgumentException("member " + index + ", generation " + generation);
        }
    }

    /**
     * The generation of a device.
     *
     * @param before how many devices came to its index before it
     */
    public static int generation(final int before) {
        return before & GENERATIONS - 1;
    }
}
