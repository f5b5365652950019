package io.vhca.tool.exs;

/**
 * What came of one size.
 *
 * @param usableMbps what the link leaves for data, 0 where its speed is not known
 * @param cpuPercent of one processor
 */
record BlastRow(int size, long sends, double mbps, double usableMbps, double cpuPercent) {
    boolean isUsableKnown() {
        return usableMbps > 0;
    }
}
