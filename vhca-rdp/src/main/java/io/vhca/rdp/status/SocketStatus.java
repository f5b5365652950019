package io.vhca.rdp.status;

import io.vhca.rdp.engine.Port;
import io.vhca.rdp.engine.RdpEngine;
import java.util.List;

/**
 * An open socket.
 *
 * @param pending      datagrams that wait to be received
 * @param pendingBytes what they count for
 * @param sendHeld     what is on its way counts for
 * @param isStalled    senders are stalled
 * @param sendLimit    SO_SNDBUF
 * @param receiveLimit SO_RCVBUF
 */
public record SocketStatus(
        int port, int pending, long pendingBytes, long sendHeld, boolean isStalled, int sendLimit,
        int receiveLimit) {
    public static List<SocketStatus> all(final RdpEngine engine) {
        return engine.ports().all().stream().map(SocketStatus::of).toList();
    }

    private static SocketStatus of(final Port port) {
        return new SocketStatus(
                port.number(), port.pending(), port.pendingBytes(), port.sendHeld(), port.isStalled(),
                port.sendLimit(), port.receiveLimit());
    }
}
