package io.vhca.rdp.engine;

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
        final CreditWindow window = flow.peer().lane(laneIndex).window();
        final Buffer buffer = pool.take();
        if (buffer == null) {
            throw new AssertionError("the pool said that it has enough");
        }
        buffer.owner = flow.port();
        buffer.length = lengthBytes;
        buffer.lane = laneIndex;
        flow.port().holds(lengthBytes);
        if (inPlace == null) {
            slot.wrap(Core.payload(buffer), lengthBytes);
            slot.putBytes(0, source, offset, lengthBytes);
        } else {
            buffer.inPlace = inPlace;
            buffer.gather(source.addressOffset() + offset, lengthBytes, inPlace.lkey());
        }
        window.posted();
        core.header
                .wrap(buffer.address())
                .write(
                        MessageDescriptor.DATA, isLast ? MessageDescriptor.LAST : 0, flow.port().number(), flow.id(),
                        lengthBytes, flow.takeSequence())
                .grants(flow.peer().flows().hasStalls() ? window.told() : window.tell(), flow.peer().tellControl());
        // What is accepted and not delivered counts as lost when the next turn ends the session.
        flow.peer().send(laneIndex, buffer, MessageDescriptor.SIZE + lengthBytes);
    }
}
