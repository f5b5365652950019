package io.vhca.physical.soft.engine;

import io.vhca.physical.soft.wire.Wire;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs by number: the low bits of a number are its slot. Numbers only count up, so that one comes back after
 * 2^24 others. The engine's owner.
 */
final class QpTable {
    private static final int FIRST_NUMBER = 2;
    private static final int MULTICAST_NUMBER = Wire.MASK_24;

    private @Nullable SoftQp[] slots = new SoftQp[8];
    private SoftQp[] live = new SoftQp[8];
    private int liveCount;
    private int nextNumber;

    QpTable(final long seed) {
        nextNumber = (int) (seed ^ seed >>> 24) & Wire.MASK_24;
    }

    int size() {
        return liveCount;
    }

    /** The i-th queue pair in no particular order. */
    SoftQp get(final int i) {
        return live[i];
    }

    void forEach(final Consumer<SoftQp> action) {
        for (int i = 0; i < liveCount; i++) {
            action.accept(live[i]);
        }
    }

    @Nullable SoftQp find(final int number) {
        final SoftQp qp = slots[number & slots.length - 1];
        return qp != null && qp.qpNum() == number ? qp : null;
    }

    /** A number whose slot is free. */
    int allocate() {
        if (liveCount * 2 >= slots.length) {
            grow();
        }
        while (nextNumber < FIRST_NUMBER
                || nextNumber == MULTICAST_NUMBER
                || slots[nextNumber & slots.length - 1] != null) {
            nextNumber = nextNumber + 1 & Wire.MASK_24;
        }
        final int number = nextNumber;
        nextNumber = nextNumber + 1 & Wire.MASK_24;
        return number;
    }

    void put(final SoftQp qp) {
        slots[qp.qpNum() & slots.length - 1] = qp;
        if (liveCount == live.length) {
            live = Arrays.copyOf(live, liveCount * 2);
        }
        qp.liveIndex = liveCount;
        live[liveCount++] = qp;
    }

    void remove(final SoftQp qp) {
        slots[qp.qpNum() & slots.length - 1] = null;
        final SoftQp last = live[--liveCount];
        live[qp.liveIndex] = last;
        last.liveIndex = qp.liveIndex;
    }

    private void grow() {
        slots = new SoftQp[slots.length * 2];
        for (int i = 0; i < liveCount; i++) {
            slots[live[i].qpNum() & slots.length - 1] = live[i];
        }
    }
}
