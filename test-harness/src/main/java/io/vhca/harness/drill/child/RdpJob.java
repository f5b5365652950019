package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.harness.drill.protocol.DrillLine;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Reliable datagrams of many sockets there and back, of this process and a second one that has sockets of its driver,
 * while one receiver is slow: every datagram must come back once and in order, and no send may be told that the path is
 * gone.
 */
final class RdpJob extends SideJob {
    private static final int PROCESSES = 2;

    private final RdpHost host;
    private final RdpSender own;
    private final RdpGuest guest;
    private boolean isGuestStopped;

    /** Sends to where {@link RdpEcho} is; closes nothing. */
    RdpJob(final Context context, final InetSocketAddress peer) {
        host = new RdpHost(context);
        final InetAddress address = peer.getAddress();
        own = new RdpSender(host.driver(), address, RdpHost.OWN_PORTS, 0);
        guest = host.guest(address);
    }

    @Override
    boolean doWork() {
        if (isStopping() && !isGuestStopped) {
            isGuestStopped = true;
            guest.stop();
        }
        final boolean any = own.doWork(isStopping());
        final DrillLine other = guest.verdict();
        if (isStopping() && own.isComplete() && other != null) {
            finish(own.wrong().isEmpty() && other.text("wrong").isEmpty() ? text(other) : WRONG + "rdp: " + own.wrong()
                    + other.text("wrong") + host.why());
        } else if (!own.wrong().isEmpty()) {
            finish(WRONG + "rdp: " + own.wrong() + host.why());
        }
        return any;
    }

    private String text(final DrillLine other) {
        return "rdp: " + (own.datagrams() + other.number("datagrams")) + " datagrams of "
                + (PROCESSES * RdpSender.SOCKETS + 1) + " sockets in two processes came back, each once and in order,"
                + " the slow receiver's sender waited " + other.number("waits") + " times";
    }

    @Override
    long longestOutageNs() {
        final DrillLine other = guest.verdict();
        return Math.max(own.longestOutageNs(), other == null ? 0 : other.number("outageNs"));
    }
}
