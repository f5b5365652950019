package io.vhca.exs.engine;

import java.lang.foreign.Arena;

/** Two ends that are connected with each other. */
final class FakePair implements AutoCloseable {
    static final EngineSizes SMALL = new EngineSizes(16, 4, 4, 40 + 64, 8, 12, 1_000, 1_000);

    final Arena arena = Arena.ofConfined();
    final FakeEnd left;
    final FakeEnd right;

    FakePair(final boolean isPackets) {
        this(isPackets, SMALL, SMALL);
    }

    FakePair(final boolean isPackets, final EngineSizes leftSizes, final EngineSizes rightSizes) {
        left = new FakeEnd(arena, isPackets, leftSizes, rightSizes.greeting(1));
        right = new FakeEnd(arena, isPackets, rightSizes, leftSizes.greeting(1));
    }

    long allocate(final long bytes) {
        return arena.allocate(Math.max(bytes, 1), 64).address();
    }

    /** Lets everything happen until nothing is left to happen. */
    void settle() {
        boolean isBusy = true;
        while (isBusy) {
            left.engine.progress();
            right.engine.progress();
            isBusy = left.happen(right) | right.happen(left);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
