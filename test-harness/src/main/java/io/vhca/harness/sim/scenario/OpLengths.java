package io.vhca.harness.sim.scenario;

import java.util.SplittableRandom;

/** How long the operations of one direction are. */
enum OpLengths {
    SMALL {
        @Override
        int draw(final SplittableRandom random, final int payloadBytes) {
            return random.nextInt(MOST_SMALL + 1);
        }
    },
    /** Whole packets, or a byte or two more or less. */
    AROUND_PACKETS {
        @Override
        int draw(final SplittableRandom random, final int payloadBytes) {
            return random.nextInt(1, MOST_PACKETS) * payloadBytes + random.nextInt(-2, 3);
        }
    },
    UP_TO_SEVERAL_PACKETS {
        @Override
        int draw(final SplittableRandom random, final int payloadBytes) {
            return random.nextInt(MOST_PACKETS * payloadBytes + 1);
        }
    },
    /** Any of these, each time anew. */
    MIXED {
        @Override
        int draw(final SplittableRandom random, final int payloadBytes) {
            return values()[random.nextInt(MIXED.ordinal())].draw(random, payloadBytes);
        }
    };

    private static final int MOST_SMALL = 64;
    private static final int MOST_PACKETS = 4;

    static OpLengths draw(final SplittableRandom random) {
        return values()[random.nextInt(values().length)];
    }

    /** A length in bytes. */
    abstract int draw(SplittableRandom random, int payloadBytes);
}
