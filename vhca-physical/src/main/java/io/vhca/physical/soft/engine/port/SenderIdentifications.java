package io.vhca.physical.soft.engine.port;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Judges whether the IP identification of a packet is one that its sender would use now. The packet's ICRC leaves it
 * open: {@link io.vhca.physical.soft.wire.IpIdentification} finds one for one of 65,536 damaged packets too.
 *
 * <p>A sender either leaves it at 0, as soft devices do, or counts. Linux counts for each pair of addresses: one on for
 * each packet, and after a pause at most one more for each tick of its clock. So the next packet of a sender is near
 * its last one; how near, grows by one a millisecond. A packet that is not near is refused, unless the one refused
 * before it was near it: then the sender really is there now. A sender that was not heard of for long may be anywhere.
 *
 * <p>A table of fixed size, one sender a place; another sender of the same place takes it. The engine's owner.
 */
public final class SenderIdentifications {
    /** Packets that may be lost in a row, and ticks while this side did not look, before one is refused. */
    static final int AHEAD = 1024;
    /** Packets that may have overtaken one. */
    static final int BEHIND = 128;
    /** A sender silent for so long is as good as unknown. */
    static final long FORGET_NS = TimeUnit.SECONDS.toNanos(8);

    private static final int PLACES = 256;
    private static final long TICK_NS = 1_000_000;
    private static final int NOBODY = -1;
    private static final int LEAVES_IT_ZERO = -2;

    private final long[] high = new long[PLACES];
    private final long[] low = new long[PLACES];
    private final long[] heardNs = new long[PLACES];
    /** The furthest identification that was taken, or {@link #LEAVES_IT_ZERO}. */
    private final int[] last = new int[PLACES];
    /** The one that was refused last, or {@link #NOBODY}. */
    private final int[] refused = new int[PLACES];

    /** Knows nobody. */
    public SenderIdentifications() {
        Arrays.fill(last, NOBODY);
    }

    /** A packet's ICRC is right with identification 0: nothing was left open, and its sender is known from now on. */
    public void zero(final long gidHigh, final long gidLow, final long nowNs) {
        final int place = place(gidHigh, gidLow);
        // A sender that counts comes by 0 as well, once in 65,536 packets.
        final boolean isCounting = isKnown(place, gidHigh, gidLow, nowNs) && isNear(place, 0, nowNs);
        learn(place, gidHigh, gidLow, isCounting ? 0 : LEAVES_IT_ZERO, nowNs);
    }

    /** True when a packet's identification, 1 to 65535, is one that its sender may use now. */
    public boolean isPlausible(final long gidHigh, final long gidLow, final int identification, final long nowNs) {
        assert identification > 0 && identification >>> Short.SIZE == 0 : "it has 16 bits, and 0 needs no guess";
        final int place = place(gidHigh, gidLow);
        if (isKnown(place, gidHigh, gidLow, nowNs)) {
            if (isNear(place, identification, nowNs)) {
                final boolean isOvertaken = (short) (identification - last[place]) < 0;
                learn(place, gidHigh, gidLow, isOvertaken ? last[place] : identification, nowNs);
                return true;
            }
            final short sinceRefused = (short) (identification - refused[place]);
            if (refused[place] == NOBODY || sinceRefused <= 0 || sinceRefused > AHEAD) {
                refused[place] = identification;
                return false;
            }
        }
        learn(place, gidHigh, gidLow, identification, nowNs);
        return true;
    }

    private static int place(final long gidHigh, final long gidLow) {
        final long hash = (gidHigh * 31 + gidLow) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (hash >>> Long.SIZE - 8);
    }

    private boolean isKnown(final int place, final long gidHigh, final long gidLow, final long nowNs) {
        return last[place] != NOBODY
                && low[place] == gidLow
                && high[place] == gidHigh
                && nowNs - heardNs[place] < FORGET_NS;
    }

    private boolean isNear(final int place, final int identification, final long nowNs) {
        if (last[place] == LEAVES_IT_ZERO) {
            return false;
        }
        final short distance = (short) (identification - last[place]);
        return distance >= -BEHIND && distance <= AHEAD + (nowNs - heardNs[place]) / TICK_NS;
    }

    private void learn(
            final int place, final long gidHigh, final long gidLow, final int identification, final long nowNs) {
        high[place] = gidHigh;
        low[place] = gidLow;
        last[place] = identification;
        refused[place] = NOBODY;
        heardNs[place] = nowNs;
    }
}
