package io.vhca.harness.sim.check;

import io.vhca.api.NativeMemory;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Side;

/**
 * What a datagram of a scenario looks like. Its identity gives everything else, so that a receiver can tell what it
 * has, and whether that is all of it:
 *
 * <pre>
 *   31     30 .. 28  27 .. 25   24 .. 0
 *   | side | from    | to       | number |
 * </pre>
 *
 * <p>It travels as the immediate, where there is one, and as the first 8 bytes, where there are that many.
 */
public final class DatagramWire {
    private static final int SIDE_SHIFT = 31;
    private static final int FROM_SHIFT = 28;
    private static final int TO_SHIFT = 25;
    private static final int INDEX_MASK = 7;
    private static final int NUMBER_MASK = (1 << TO_SHIFT) - 1;
    private static final int KEY = 3_000;
    private static final int SMALL_BYTES = 64;

    private final long key;
    private final int mtuBytes;

    public DatagramWire(final long seed, final int mtuBytes) {
        key = Content.key(seed, KEY);
        this.mtuBytes = mtuBytes;
    }

    public static int identity(final Side side, final int from, final int to, final int number) {
        return side.ordinal() << SIDE_SHIFT | from << FROM_SHIFT | to << TO_SHIFT | number & NUMBER_MASK;
    }

    static Side side(final int identity) {
        return Side.of(identity >>> SIDE_SHIFT);
    }

    public static int from(final int identity) {
        return identity >>> FROM_SHIFT & INDEX_MASK;
    }

    public static int to(final int identity) {
        return identity >>> TO_SHIFT & INDEX_MASK;
    }

    public static int number(final int identity) {
        return identity & NUMBER_MASK;
    }

    public boolean hasImm(final int identity) {
        return (contentKey(identity) & 1) == 0;
    }

    /** Payload: none, few bytes, any number, or all that fits into a packet. */
    public int lengthBytes(final int identity) {
        final long drawn = contentKey(identity) >>> 8;
        final int least = hasImm(identity) ? 0 : Long.BYTES;
        final int any = (int) (drawn >>> 8 & Integer.MAX_VALUE);
        return switch ((int) (drawn & 3)) {
            case 0 -> least;
            case 1 -> least + any % SMALL_BYTES;
            case 2 -> least + any % (mtuBytes - least + 1);
            default -> mtuBytes;
        };
    }

    public void write(final long address, final int identity) {
        Content.fill(address, lengthBytes(identity), contentKey(identity));
        if (lengthBytes(identity) >= Long.BYTES) {
            NativeMemory.putLong(address, identity);
        }
    }

    /** The identity of what has arrived; meaningless where it carries none. */
    public static int read(final long address, final int lengthBytes, final boolean hasImm, final int imm) {
        return hasImm || lengthBytes < Long.BYTES ? imm : (int) NativeMemory.getLong(address);
    }

    /** What is wrong with it, empty for nothing. */
    public String wrong(final long address, final int identity, final int gotBytes, final boolean gotImm) {
        if (gotBytes != lengthBytes(identity)) {
            return gotBytes + " bytes, " + lengthBytes(identity) + " were sent";
        }
        if (gotImm != hasImm(identity)) {
            return gotImm ? "an immediate that was not sent" : "the immediate is missing";
        }
        if (gotBytes < Long.BYTES) {
            return Content.mismatch(address, 0, gotBytes, contentKey(identity)) < 0 ? "" : "other bytes";
        }
        if (NativeMemory.getLong(address) != identity) {
            return "the data is not what belongs to the immediate";
        }
        final int at = Content.mismatch(address, Long.BYTES, gotBytes, contentKey(identity));
        return at < 0 ? "" : "byte " + at + " differs";
    }

    private long contentKey(final int identity) {
        return Content.key(key, Integer.toUnsignedLong(identity));
    }
}
