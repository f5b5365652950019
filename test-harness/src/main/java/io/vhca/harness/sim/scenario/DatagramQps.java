package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.PerSide;

/**
 * UD queue pairs beside the connections: none on both sides, or one or two on each.
 *
 * @param count of each side
 * @param depth sends and receives that each of them holds
 */
public record DatagramQps(PerSide<Integer> count, int depth) {
    /** Those of a side at most. */
    public static final int MOST = 2;

    public static final DatagramQps NONE = new DatagramQps(PerSide.both(0), 0);

    @Override
    public String toString() {
        return equals(NONE) ? "no datagrams" : "datagrams " + count + " of depth " + depth;
    }
}
