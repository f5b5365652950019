package io.vhca.rdp.engine;

import io.vhca.rdp.lane.ImpliedHeader;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;

/** Takes messages of datagrams that arrived, and says which flow they are of, with a header or without. */
final class DataReader {
    /**
     * A message with a header arrived; the buffer is its flow's now, or free.
     *
     * @return false where there can be no such message
     */
    boolean take(final Peer peer, final int laneIndex, final Buffer buffer, final MessageFlyweight header) {
        buffer.headed(header.headBytes());
        buffer.length = header.length();
        return take(peer.lane(laneIndex), peer, buffer, header.flowId(), header.flowSequence(), header.flags());
    }

    /** The same of a message without a header. */
    boolean takeBare(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        final Lane lane = peer.lane(laneIndex);
        final ImpliedHeader implied = lane.arriving();
        if (!implied.isKnown()) {
            buffer.pool().release(buffer);
            return false;
        }
        buffer.arrivedBare();
        buffer.length = messageBytes;
        return take(lane, peer, buffer, implied.flowId(), implied.sequence(), implied.flags());
    }

    private static boolean take(
            final Lane lane, final Peer peer, final Buffer buffer, final int flowId, final long sequence,
            final byte flags) {
        lane.arriving().goesOnAfter(flowId, sequence, flags);
        final InFlow flow = peer.flows().inFlow(flowId);
        buffer.isLast = (flags & MessageDescriptor.LAST) != 0;
        if (flow == null || !flow.onMessage(sequence, buffer)) {
            buffer.pool().release(buffer);
            return false;
        }
        peer.flows().onProgress(flow);
        lane.refill();
        return true;
    }
}
