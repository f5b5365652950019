package io.vhca.rdp.engine;

import io.vhca.rdp.lane.ImpliedHeader;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages of datagrams that arrived, and says which flow they are of: by a header, by immediate data, or by what
 * came before. The buffer is the flow's then, or free.
 */
final class DataReader {
    /** A message with a header; false where there can be no such message. */
    boolean take(final Peer peer, final int laneIndex, final Buffer buffer, final MessageFlyweight header) {
        buffer.length = header.length();
        return take(
                peer, laneIndex, buffer, peer.flows().inFlow(header.flowId()), header.flowSequence(), header.flags());
    }

    /** The same of a message whose immediate data says what it is. */
    boolean takeSaid(
            final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes, final int immediate) {
        final InFlow flow = peer.flows().inFlow(BareDescriptor.flowId(immediate));
        final long sequence = flow == null ? 0 : BareDescriptor.sequence(immediate, flow.expected());
        return takeBare(peer, laneIndex, buffer, messageBytes, flow, sequence, BareDescriptor.flags(immediate));
    }

    /** The same of a message that says nothing. */
    boolean takeImplied(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        final ImpliedHeader implied = peer.lane(laneIndex).arriving();
        final InFlow flow = implied.isKnown() ? peer.flows().inFlow(implied.flowId()) : null;
        return takeBare(peer, laneIndex, buffer, messageBytes, flow, implied.sequence(), implied.flags());
    }

    private static boolean takeBare(
            final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes,
            final @Nullable InFlow flow, final long sequence, final byte flags) {
        buffer.arrivedBare();
        buffer.length = messageBytes;
        final boolean isTooLong = messageBytes > buffer.pool().payloadBytes();
        return take(peer, laneIndex, buffer, isTooLong ? null : flow, sequence, flags);
    }

    private static boolean take(
            final Peer peer, final int laneIndex, final Buffer buffer, final @Nullable InFlow flow,
            final long sequence, final byte flags) {
        buffer.isLast = (flags & MessageDescriptor.LAST) != 0;
        if (flow == null || !flow.onMessage(sequence, buffer)) {
            buffer.pool().release(buffer);
            return false;
        }
        final Lane lane = peer.lane(laneIndex);
        lane.arriving().goesOnAfter(flow.id(), sequence, flags);
        peer.flows().onProgress(flow);
        lane.refill();
        return true;
    }
}
