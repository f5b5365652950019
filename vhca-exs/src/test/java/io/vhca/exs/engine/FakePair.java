package io.vhca.exs.engine;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;

/** Two ends that are connected with each other. */
final class FakePair implements AutoCloseable {
    static final EngineSizes SMALL = new EngineSizes(16, 4, 4, 40 + 64, 8, 12, 1_000, 1_000);

    final Arena arena = Arena.ofShared();
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

    /** Memory that holds what can be told from other bytes. */
    long filled(final int length) {
        final long at = allocate(length);
        for (int i = 0; i < length; i++) {
            NativeMemory.putByte(at + i, (byte) (i * 31 + i / 251));
        }
        return at;
    }

    static void send(final FakeEnd end, final long at, final int... lengths) {
        final Call call = end.engine.nextSend();
        long address = at;
        for (final int length : lengths) {
            call.add(address, length, 1, 7, null);
            address += length;
        }
        end.engine.addSend();
    }

    static void receive(final FakeEnd end, final long at, final int flags, final int... lengths) {
        final Call call = end.engine.nextRecv().flags(flags);
        long address = at;
        for (final int length : lengths) {
            call.add(address, length, 1, 8, null);
            address += length;
        }
        end.engine.addRecv();
    }

    static boolean isSame(final long one, final long other, final int length) {
        return NativeMemory.segment(one, length).mismatch(NativeMemory.segment(other, length)) < 0;
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
