package io.vhca.physical.soft.engine.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The counters of one soft device. The engine's owner writes them, any thread reads them. */
public final class NicCounters {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int COUNT = NicCounter.values().length;

    private final long[] cells = new long[COUNT];

    /** All zero. */
    public NicCounters() {}

    /** The count since the device was created. */
    public long get(final NicCounter counter) {
        return (long) CELL.getOpaque(cells, counter.ordinal());
    }

    /** Counts one more; the engine's owner. */
    public void increment(final NicCounter counter) {
        add(counter, 1);
    }

    /** Counts {@code delta} more; the engine's owner. */
    public void add(final NicCounter counter, final long delta) {
        final int index = counter.ordinal();
        CELL.setOpaque(cells, index, cells[index] + delta);
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (final NicCounter counter : NicCounter.values()) {
            if (get(counter) != 0) {
                text.append(text.isEmpty() ? "" : " ").append(counter).append('=').append(get(counter));
            }
        }
        return text.toString();
    }
}
