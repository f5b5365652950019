package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import java.util.List;

/**
 * The network of a scenario with the ports on it.
 *
 * @param startNs    virtual time at the start
 * @param latencyNs  of the fabric
 * @param bytesPerUs rate of a port, 0 without limit
 * @param mtuBytes   payload of a packet, of each member of a side
 */
public record Network(long startNs, long latencyNs, int bytesPerUs, PerSide<List<Integer>> mtuBytes) {
    /** The smallest MTU that there is. */
    public static final int LEAST_MTU = 256;

    public int members(final Side side) {
        return mtuBytes.of(side).size();
    }

    public int mtuBytes(final Side side, final int member) {
        return mtuBytes.of(side).get(member);
    }

    /** The largest payload that every member takes. */
    int leastMtuBytes() {
        return Side.BOTH.stream().flatMap(side -> mtuBytes.of(side).stream()).min(Integer::compare).orElseThrow();
    }

    @Override
    public String toString() {
        return "MTUs " + mtuBytes + ", latency " + latencyNs + " ns, "
                + (bytesPerUs == 0 ? "no rate limit" : bytesPerUs + " bytes/us") + ", start " + startNs + " ns";
    }
}
