package io.vhca.tool.exs;

import java.util.Locale;

/**
 * What came of one size.
 *
 * @param usableMbps      what the link leaves for data, 0 where its speed is not known
 * @param cpuPercent      of one processor, that the end took which sends
 * @param receiverPercent of one processor, that the other end says it took, NaN where it does not
 */
record BlastRow(int size, long sends, double mbps, double usableMbps, double cpuPercent, double receiverPercent) {
    boolean isUsableKnown() {
        return usableMbps > 0;
    }

    String cpu() {
        return percent(cpuPercent);
    }

    String receiverCpu() {
        return percent(receiverPercent);
    }

    private static String percent(final double value) {
        return Double.isFinite(value) && value >= 0 ? String.format(Locale.ROOT, "%.0f", value) : "-";
    }
}
