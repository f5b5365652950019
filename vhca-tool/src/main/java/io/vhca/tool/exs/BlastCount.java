package io.vhca.tool.exs;

import java.util.function.LongSupplier;

/**
 * Counts the sends of a blast while data flows evenly: from the first that is done after a tenth of the time on, to the
 * first that is done at its end. What is counted was sent in the time between these two, to the send. One thread.
 */
final class BlastCount {
    private static final int START = 10;

    private final long beginNs;
    private final long endNs;
    private final LongSupplier cpuNs;
    private boolean hasBegun;
    private long firstNs;
    private long lastNs;
    private long firstCpuNs;
    private long lastCpuNs;
    private long sends;

    /** Sends go on for {@code timeNs} from now on; {@code cpuNs} says what the processor has spent until now. */
    BlastCount(final long timeNs, final long nowNs, final LongSupplier cpuNs) {
        this.cpuNs = cpuNs;
        beginNs = nowNs + timeNs / START;
        endNs = nowNs + timeNs;
    }

    /** A send is done. */
    void done(final long nowNs) {
        if (hasBegun) {
            sends++;
            lastNs = nowNs;
            if (isOver()) {
                lastCpuNs = cpuNs.getAsLong();
            }
        } else if (nowNs - beginNs >= 0) {
            hasBegun = true;
            firstNs = nowNs;
            firstCpuNs = cpuNs.getAsLong();
        }
    }

    /** True when the time is over and at least one send was counted. */
    boolean isOver() {
        return sends > 0 && lastNs - endNs >= 0;
    }

    /** What came of sends of {@code size} bytes; {@link #isOver} was true. */
    BlastRow row(final int size, final double usableMbps, final double receiverPercent) {
        assert sends > 0 : "the blast is not over";
        final double ns = Math.max(1, lastNs - firstNs);
        return new BlastRow(
                size, sends, sends * (double) size * Byte.SIZE * 1e3 / ns, usableMbps,
                100 * (lastCpuNs - firstCpuNs) / ns, receiverPercent);
    }
}
