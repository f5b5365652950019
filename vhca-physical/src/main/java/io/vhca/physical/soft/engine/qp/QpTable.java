package io.vhca.physical.soft.engine.qp;

import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.wire.Wire;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs by number. The low bits of a number are its slot. Numbers come as {@link QpNumbers} gives them, so
 * that nobody can tell the next, and none comes back before 2^24 others. The engine's owner.
 */
public final class QpTable {
    private static final int FIRST_NUMBER = 2;
    private static final int MULTICAST_NUMBER = Wire.MASK_24;

    private final EngineCore core;
    private @Nullable QpContext[] slots = new QpContext[8];
    private QpContext[] live = new QpContext[8];
    private int liveCount;
    private final QpNumbers numbers;

    /** Empty; {@code random} draws the order of the numbers. */
    public QpTable(final EngineCore core, final RandomGenerator random) {
        this.core = core;
        numbers = new QpNumbers(random);
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
        // At most half of the slots are taken: two numbers are looked at on the average.
        int number = numbers.next();
        while (number < FIRST_NUMBER || number == MULTICAST_NUMBER || slots[number & slots.length - 1] != null) {
            number = numbers.next();
        }
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
