package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;

/** The other end of {@link RdpJob}: sockets of two processes over one driver. One thread. */
final class RdpEcho {
    private final RdpHost host;
    private final RdpEchoes echoes;

    private RdpEcho(final RdpHost host, final RdpEchoes echoes) {
        this.host = host;
        this.echoes = echoes;
    }

    /** Tells the controller where it is; closes nothing. */
    static RdpEcho serve(final ChildControl control, final Context context) {
        final RdpHost host = new RdpHost(context);
        final RdpEchoes echoes = new RdpEchoes(host.driver(), RdpHost.OWN_PORTS, 0);
        host.guest(null);
        control.say(DrillLine.of(
                "listening", "host", host.driver().address().getHostAddress(), "port", RdpHost.OWN_PORTS));
        return new RdpEcho(host, echoes);
    }

    /** One round; true when anything came. */
    boolean doWork() {
        try {
            return echoes.doWork();
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + host.why(), e);
        }
    }
}
