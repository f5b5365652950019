package io.vhca.rdp.engine;

import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;

/** What completions say: messages that arrived, and sends that are done. */
public final class Arrivals {
    private final Core core;
    private final Nodes nodes;
    private final DataReader reader = new DataReader();

    Arrivals(final Core core, final Nodes nodes) {
        this.core = core;
        this.nodes = nodes;
    }

    /** The pool with that {@link BufferPool#id()}. */
    public BufferPool pool(final int id) {
        return core.pool(id);
    }

    /** Whether a pool is for receives; its id is that of the size class then. */
    public boolean isReceivePool(final int id) {
        return id < core.lanes();
    }

    /** A send is done. */
    public void onSent(final Buffer buffer) {
        final Peer peer = nodes.all().get(buffer.postedAt);
        final boolean isControl = buffer.isControl();
        final int lane = buffer.lane;
        final InPlaceSend inPlace = buffer.inPlace;
        buffer.pool().release(buffer);
        if (isControl) {
            peer.control().completed();
            return;
        }
        peer.lane(lane).completed();
        buffer.sent();
        if (inPlace != null) {
            core.over(inPlace, false);
        }
    }

    /** A message arrived. */
    public void onReceived(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        buffer.pool().unposted(buffer);
        peer.onHeard();
        final boolean isRight = laneIndex > 0 && BareDescriptor.saysNothing(messageBytes)
                ? reader.takeImplied(peer, laneIndex, buffer, messageBytes)
                : take(peer, laneIndex, buffer, messageBytes);
        if (!isRight) {
            peer.foreign();
        }
    }

    /** A message with immediate data arrived. */
    public void onImmediate(
            final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes, final int immediate) {
        buffer.pool().unposted(buffer);
        peer.onHeard();
        if (!reader.takeSaid(peer, laneIndex, buffer, messageBytes, immediate)) {
            peer.foreign();
        }
    }

    /** A message was written into memory of this node; the buffer is the receive that it took. */
    public void onPlaced(
            final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes, final int number) {
        buffer.pool().unposted(buffer);
        peer.onHeard();
        if (peer.flows().onPlaced(buffer, messageBytes, number)) {
            peer.lane(laneIndex).refill();
            return;
        }
        buffer.pool().release(buffer);
        peer.foreign();
    }

    private boolean take(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        final MessageFlyweight header = core.header.wrap(buffer.address());
        final boolean isOurs = header.isOurs(messageBytes)
                && peer.lane(laneIndex).onGranted(header.laneGranted())
                && peer.control().onGranted(header.controlGranted());
        if (isOurs && header.kind() == MessageDescriptor.CONTROL && laneIndex == 0) {
            return peer.control().onMessage(buffer, header.length());
        }
        if (isOurs && header.kind() == MessageDescriptor.DATA) {
            return reader.take(peer, laneIndex, buffer, header);
        }
        if (isOurs && header.kind() == MessageDescriptor.BATCH && laneIndex == Batches.LANE) {
            return peer.batches().onMessage(buffer, header);
        }
        buffer.pool().release(buffer);
        return false;
    }
}
