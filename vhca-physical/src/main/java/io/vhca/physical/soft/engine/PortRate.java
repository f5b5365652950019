package io.vhca.physical.soft.engine;

/**
 * How fast a port sends: a token bucket on the engine's time. Queue pairs get their turn while there are tokens; what
 * the port sent, answers and all, is taken out of the bucket afterwards, so it may be in debt. The engine's owner.
 */
final class PortRate {
    private static final long NS_A_SECOND = 1_000_000_000L;
    private static final long BYTES_A_MEGABIT = 125_000L;

    /** What the bucket holds at most: as much as the port sends in that time, since whoever drives it may be late. */
    private static final long DEPTH_NS = 4_000_000;

    private final NicCounters counters;
    private final long bytesASecond;
    private final int mbps;
    /** Bytes times {@link #NS_A_SECOND}. */
    private long tokens;
    private long lastNs;
    private long charged;
    private boolean started;

    /** @param mbps megabits a second, 0 for as fast as it goes */
    PortRate(final NicCounters counters, final int mbps) {
        this.counters = counters;
        this.mbps = mbps;
        bytesASecond = mbps * BYTES_A_MEGABIT;
    }

    /** Megabits a second, 0 where there is no limit. */
    int mbps() {
        return mbps;
    }

    /** True when a queue pair may have its turn. */
    boolean isOpen(final long nowNs) {
        if (mbps == 0) {
            return true;
        }
        final long sent = counters.get(NicCounter.TX_BYTES);
        tokens -= (sent - charged) * NS_A_SECOND;
        charged = sent;
        if (!started) {
            started = true;
            lastNs = nowNs;
        }
        final long full = DEPTH_NS * bytesASecond;
        tokens = Math.min(full, tokens + Math.min(nowNs - lastNs, DEPTH_NS + debtNs()) * bytesASecond);
        lastNs = nowNs;
        return tokens >= 0;
    }

    /** When the next turn may be: now or later. */
    long openNs(final long nowNs) {
        return mbps == 0 ? nowNs : nowNs + debtNs();
    }

    private long debtNs() {
        return tokens >= 0 ? 0 : (-tokens + bytesASecond - 1) / bytesASecond;
    }
}
