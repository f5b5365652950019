package io.vhca.physical.soft.engine.rc;

import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;

/**
 * Congestion of one connection, both ends of it: packets that were marked on their way are answered by notifications
 * (CNP) to their sender, one in {@link #INTERVAL_NS} at most, and who is notified sends less. The engine's owner.
 */
final class CongestionControl {
    /** The least time between two notifications of a connection. */
    static final long INTERVAL_NS = 50_000;

    private final EngineCore core;
    private final NicCounters counters;
    private final ResponseWriter writer;
    private final Requester requester;
    private boolean hasSent;
    private long sentNs;

    CongestionControl(
            final EngineCore core, final PacketOutput output, final QpContext qp, final Requester requester) {
        this.core = core;
        this.requester = requester;
        counters = core.counters();
        writer = new ResponseWriter(output, qp);
    }

    /** The peer says that what is sent from here meets congestion. */
    void onNotified() {
        counters.increment(NicCounter.RP_CNP_HANDLED);
        requester.slowDown();
    }

    /**
     * A packet that was the next one expected was marked.
     *
     * @param isReadData it comes as fast as it is asked for: so who asks slows too
     */
    void onMarked(final boolean isReadData) {
        final long now = core.nowNs();
        counters.increment(NicCounter.NP_ECN_MARKED_ROCE_PACKETS);
        if (!hasSent || now - sentNs >= INTERVAL_NS) {
            hasSent = true;
            sentNs = now;
            writer.sendCongestionNotification();
            counters.increment(NicCounter.NP_CNP_SENT);
        }
        if (isReadData) {
            requester.slowDown();
        }
    }
}
