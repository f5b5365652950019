package io.vhca.harness.sim.host;

/**
 * What a host's bond did in one run.
 *
 * @param failovers recoveries that ended with a new path
 * @param overStandby sides of recoveries that took a connection which stood by
 * @param owed      operations completed by negotiation
 * @param replayed  operations posted again
 */
public record HostCounts(long failovers, long overStandby, long owed, long replayed) {
    public static final HostCounts NONE = new HostCounts(0, 0, 0, 0);

    public HostCounts plus(final HostCounts other) {
        return new HostCounts(
                failovers + other.failovers, overStandby + other.overStandby, owed + other.owed,
                replayed + other.replayed);
    }
}
