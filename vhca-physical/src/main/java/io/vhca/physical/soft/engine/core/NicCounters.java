package io.vhca.physical.soft.engine.core;

import io.vhca.api.DeviceStep;
import io.vhca.api.DeviceTracer;
import java.lang.System.Logger;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one soft device. The engine's owner writes them, any thread reads them.
 *
 * <p>Defects of the engine's own are counted by what they cost, a packet or a queue pair: never the device. The first
 * is logged with its stack trace.
 */
public final class NicCounters {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int COUNT = NicCounter.values().length;

    private static final int PSN_MASK = 0xFF_FFFF;

    private static final Logger LOGGER = System.getLogger(NicCounters.class.getName());

    private final String device;
    private final long[] cells = new long[COUNT];
    private volatile @Nullable DeviceTracer tracer;
    private boolean hasLogged;

    /** All zero; {@code device} is whose they are. */
    public NicCounters(final String device) {
        this.device = device;
    }

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

    /** Counts one more of what is told besides, with the sequence that it is about; the engine's owner. */
    public void happened(final NicCounter counter, final DeviceStep step, final int qpNum, final long psn) {
        increment(counter);
        final DeviceTracer to = tracer;
        if (to != null) {
            to.step(step, qpNum, psn & PSN_MASK);
        }
    }

    /** Who hears what happens from now on, null for nobody. Any thread. */
    public void traceTo(final @Nullable DeviceTracer changed) {
        tracer = changed;
    }

    /** Who hears what happens, null for nobody. Any thread. */
    public @Nullable DeviceTracer tracer() {
        return tracer;
    }

    /** Counts a packet that is dropped because the engine failed at it; the engine's owner. */
    public void packetFault(final Throwable e) {
        fault(NicCounter.PACKET_FAULTS, e);
    }

    /** Counts a queue pair that the engine failed at; the engine's owner. */
    public void queuePairFault(final Throwable e) {
        fault(NicCounter.QP_FAULTS, e);
    }

    private void fault(final NicCounter cost, final Throwable e) {
        increment(cost);
        if (!hasLogged) {
            hasLogged = true;
            LOGGER.log(
                    Logger.Level.ERROR,
                    device + ": a defect of the soft device (" + cost + "); it goes on, and only counts further ones",
                    e);
        }
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
