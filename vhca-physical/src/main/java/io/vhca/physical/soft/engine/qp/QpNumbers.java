package io.vhca.physical.soft.engine.qp;

import io.vhca.physical.soft.wire.Wire;
import java.util.random.RandomGenerator;

/**
 * All 24-bit numbers, each once before the first comes again, in an order that only the keys know: a Feistel network
 * over a counter. Who has seen some of the numbers cannot tell the next.
 *
 * <pre>
 *   23         12 11          0
 *   |   left     |   right    |     round: left, right = right, left ^ f(right, key)
 * </pre>
 */
final class QpNumbers {
    private static final int ROUNDS = 6;
    private static final int HALF_BITS = 12;
    private static final int HALF_MASK = (1 << HALF_BITS) - 1;

    private final long[] keys = new long[ROUNDS];
    private int counter;

    QpNumbers(final RandomGenerator random) {
        for (int i = 0; i < ROUNDS; i++) {
            keys[i] = random.nextLong();
        }
        counter = random.nextInt() & Wire.MASK_24;
    }

    int next() {
        int left = counter >>> HALF_BITS;
        int right = counter & HALF_MASK;
        counter = counter + 1 & Wire.MASK_24;
        for (final long key : keys) {
            final int turned = left ^ mixed(right, key);
            left = right;
            right = turned;
        }
        return left << HALF_BITS | right;
    }

    /** 12 bits of SplitMix64's finalizer. */
    private static int mixed(final int half, final long key) {
        long mixed = key + half;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return (int) (mixed >>> Long.SIZE - HALF_BITS);
    }
}
