package io.vhca.rdp.engine;

import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Writes messages of datagrams that may go, and posts them. */
final class DataWriter {
    private final Core core;
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);

    DataWriter(final Core core) {
        this.core = core;
    }

    /**
     * Sends one message.
     *
     * @param pool    of its header, and of its bytes where they are copied
     * @param inPlace the datagram that it is of, where they are not
     */
    void write(
            final BufferPool pool, final OutFlow flow, final int laneIndex, final DirectBuffer source,
            final int offset, final int lengthBytes, final boolean isLast, final @Nullable InPlaceSend inPlace) {
        final Lane lane = flow.peer().lane(laneIndex);
        final Buffer buffer = pool.take();
        if (buffer == null) {
            throw new AssertionError("the pool said that it has enough");
        }
        buffer.carries(flow.port(), lengthBytes);
        buffer.length = lengthBytes;
        buffer.lane = laneIndex;
        flow.port().holds(lengthBytes);
        final byte flags = isLast ? MessageDescriptor.LAST : 0;
        final long sequence = flow.takeSequence();
        final boolean isBare = laneIndex > 0 && BareDescriptor.isBetter(lengthBytes);
        final boolean isImplied =
                isBare && BareDescriptor.saysNothing(lengthBytes) && lane.sending().says(flow.id(), sequence, flags);
        lane.sending().goesOnAfter(flow.id(), sequence, flags);
        if (inPlace == null) {
            slot.wrap(buffer.payloadAddress(), lengthBytes);
            slot.putBytes(0, source, offset, lengthBytes);
        } else {
            buffer.inPlace = inPlace;
            buffer.gather(source.addressOffset() + offset, lengthBytes, inPlace.lkey());
        }
        lane.posted(isLast ? 1 : 0);
        if (isImplied) {
            buffer.sentBare();
        } else if (isBare) {
            buffer.sentBare(BareDescriptor.encode(flow.id(), sequence, flags));
        } else {
            writeHeader(flow, lane, buffer, flags, sequence);
        }
        // What is accepted and not delivered counts as lost when the next turn ends the session.
        flow.peer().send(laneIndex, buffer, (isBare ? 0 : MessageDescriptor.SIZE) + lengthBytes);
    }

    /** Lets a short datagram leave with others, where that is worth it; false where it has to go by itself. */
    boolean writeWithOthers(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Peer peer = flow.peer();
        return flow.isWithinWindow(peer.lanes(), 1) && peer.batches().take(flow, source, offset, lengthBytes);
    }

    private void writeHeader(
            final OutFlow flow, final Lane lane, final Buffer buffer, final byte flags, final long sequence) {
        core.header
                .wrap(buffer.address())
                .write(MessageDescriptor.DATA, flags, flow.port().number(), flow.id(), buffer.length, sequence);
        lane.grant(core.header);
    }
}
