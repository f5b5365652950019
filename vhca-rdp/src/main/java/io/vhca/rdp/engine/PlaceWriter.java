package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;

/** Posts datagrams that may go into memory of another node. */
final class PlaceWriter {
    private final Core core;

    PlaceWriter(final Core core) {
        this.core = core;
    }

    /** Sends one. */
    void write(
            final OutFlow flow, final int lane, final long from, final int lengthBytes, final InPlaceSend send,
            final PeerOffers.Place place) {
        final Buffer buffer = core.headerPool().take();
        if (buffer == null) {
            throw new AssertionError("the pool said that it has enough");
        }
        final Peer peer = flow.peer();
        buffer.carries(flow.port(), lengthBytes);
        buffer.length = lengthBytes;
        buffer.lane = lane;
        buffer.inPlace = send;
        buffer.gather(from, lengthBytes, send.lkey());
        buffer.pool().posted(buffer, peer.index());
        flow.port().holds(lengthBytes);
        peer.lane(lane).posted(1);
        place.use();
        core.counters.increment(Counter.TX_DIRECTED);
        send.sent();
        final int number = place.number(flow.takeSequence());
        // What is accepted and not delivered counts as lost when the next turn ends the session.
        if (!core.transport.write(peer, lane, buffer, place.address(), place.rkey(), number)) {
            peer.broken(SessionEnd.POST_FAILED);
        }
    }
}
