package io.vhca.physical.soft.engine.qp;

import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.wire.Wire;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs by number. The low bits of a number are its slot. Numbers only count up, so that a number comes back
 * after 2^24 others. The engine's owner.
 */
public final class QpTable {
    private static final int FIRST_NUMBER = 2;
    private static final int MULTICAST_NUMBER = Wire.MASK_24;

    private final EngineCore core;
    private @Nullable QpContext[] slots = new QpContext[8];
    private QpContext[] live = new QpContext[8];
    private int liveCount;
    private int nextNumber;

    /** Empty; {@code seed} draws the first number. */
    public QpTable(final EngineCore core, final long seed) {
        this.core = core;
        nextNumber = (int) (seed ^ seed >>> 24) & Wire.MASK_24;
    }

    /** How many there are. */
    public int size() {
        return liveCount;
    }

    /** The i-th queue pair in no particular order. */
    public QpContext get(final int i) {
        return live[i];
    }

    /** Does something with each, in no particular order. */
    public void forEach(final Consumer<QpContext> action) {
        for (int i = 0; i < liveCount; i++) {
            action.accept(live[i]);
        }
    }

    /** The queue pair with that number, or null. */
    public @Nullable QpContext find(final int number) {
        final QpContext qp = slots[number & slots.length - 1];
        return qp != null && qp.qpNum() == number ? qp : null;
    }

    /** A number whose slot is free; ENOMEM where the device has as many queue pairs as it may. */
    public int allocate() {
        assert core.isOwner() : "only the engine's owner gives numbers";
        UseCount.requireBelow(core, "createQp", liveCount, core.config().maxQp());
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

    /** Adds one whose number {@link #allocate} gave. */
    public void put(final QpContext qp) {
        assert slots[qp.qpNum() & slots.length - 1] == null : "the number is taken";
        slots[qp.qpNum() & slots.length - 1] = qp;
        if (liveCount == live.length) {
            live = Arrays.copyOf(live, liveCount * 2);
        }
        qp.liveIndex = liveCount;
        live[liveCount++] = qp;
    }

    /** Removes one that was put. */
    public void remove(final QpContext qp) {
        assert live[qp.liveIndex] == qp : "the queue pair is not in the table";
        slots[qp.qpNum() & slots.length - 1] = null;
        final QpContext last = live[--liveCount];
        live[qp.liveIndex] = last;
        last.liveIndex = qp.liveIndex;
    }

    private void grow() {
        slots = new QpContext[slots.length * 2];
        for (int i = 0; i < liveCount; i++) {
            slots[live[i].qpNum() & slots.length - 1] = live[i];
        }
    }
}
