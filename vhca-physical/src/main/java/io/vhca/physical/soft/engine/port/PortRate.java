package io.vhca.physical.soft.engine.port;

import io.vhca.api.Gid;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.wire.Framing;

/**
 * The rate limit of a port: a token bucket on the engine's time. Queue pairs get a turn while there are tokens. What
 * the port has sent, responses included, is taken out of the bucket afterwards, so that the bucket may be in debt. A
 * packet is counted as long as it is on Ethernet, its preamble and the gap behind it included, as a link of that speed
 * would take it. The engine's owner.
 */
public final class PortRate {
    private static final long NS_A_SECOND = 1_000_000_000L;
    private static final long BYTES_A_MEGABIT = 125_000L;

    /** What the bucket holds at most: as much as the port sends in that time, since whoever drives it may be late. */
    private static final long DEPTH_NS = 4_000_000;

    private final NicCounters counters;
    private final long bytesASecond;
    private final int mbps;
    private final int aroundBytes;
    /** Bytes times {@link #NS_A_SECOND}. */
    private long tokens;
    private long lastNs;
    private long charged;
    private boolean started;

    /**
     * @param mbps    megabits a second, 0 for as fast as it goes
     * @param address of the port; packets have the headers of its version of IP
     */
    public PortRate(final NicCounters counters, final int mbps, final Gid address) {
        this.counters = counters;
        this.mbps = mbps;
        aroundBytes = Framing.bytes(address.isIpv4());
        bytesASecond = mbps * BYTES_A_MEGABIT;
    }

    /** True when a queue pair may have its turn. */
    public boolean isOpen(final long nowNs) {
        if (mbps == 0) {
            return true;
        }
        final long sent = counters.get(NicCounter.TX_BYTES) + counters.get(NicCounter.TX_PACKETS) * aroundBytes;
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
    public long openNs(final long nowNs) {
        return mbps == 0 ? nowNs : nowNs + debtNs();
    }

    private long debtNs() {
        return tokens >= 0 ? 0 : (-tokens + bytesASecond - 1) / bytesASecond;
    }
}
