package io.vhca.rdp.engine;

import io.vhca.rdp.engine.RdpCounters.Counter;
import io.vhca.rdp.wire.MessageDescriptor;
import java.net.InetAddress;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends datagrams: judges at once whether one can go, cuts it into messages, posts them. */
public final class DatagramSender {
    private final Core core;
    private final InetAddress address;
    private final LocalDelivery local;
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);

    DatagramSender(final Core core, final InetAddress address) {
        this.core = core;
        this.address = address;
        local = new LocalDelivery(core);
    }

    /** Sends a datagram, or says at once why not; the bytes are copied. */
    public SendResult send(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Port port = flow.port();
        if (lengthBytes > core.config.longestMessage() || lengthBytes + Port.OVERHEAD > port.sendLimit()) {
            return refuse(SendResult.TOO_LONG);
        }
        final SendResult result = flow.peer().address().equals(address)
                ? local.send(flow, source, offset, lengthBytes)
                : flow.isOpen() ? post(flow, source, offset, lengthBytes) : flow.peer().open(flow);
        if (result != SendResult.SENT) {
            return refuse(result);
        }
        core.counters.increment(Counter.TX_PACKETS);
        core.counters.add(Counter.TX_BYTES, lengthBytes);
        return result;
    }

    private SendResult refuse(final SendResult why) {
        core.counters.increment(
                switch (why) {
                    case NO_BUFFERS -> Counter.ENOBUFS_RETURNED;
                    case WOULD_BLOCK -> Counter.EWOULDBLOCK_RETURNED;
                    case TOO_LONG -> Counter.EMSGSIZE_RETURNED;
                    default -> Counter.EFAULT_RETURNED;
                });
        return why;
    }

    private SendResult post(final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Port port = flow.port();
        final int laneIndex = core.config.laneOf(lengthBytes);
        final BufferPool pool = core.sendPool(laneIndex);
        final int most = pool.payloadBytes();
        final int messages = Math.max(1, (lengthBytes + most - 1) / most);
        final Peer peer = flow.peer();
        final Lane lane = peer.lane(laneIndex);
        if (flow.isStalled() || peer.isBroken()) {
            return SendResult.WOULD_BLOCK;
        }
        if (!port.mayHold(lengthBytes) || !pool.has(messages)) {
            return SendResult.NO_BUFFERS;
        }
        if (!flow.isWithinWindow(peer.lanes(), messages) || !lane.hasRoom(flow, messages)) {
            return SendResult.WOULD_BLOCK;
        }
        int done = 0;
        for (int i = 0; i < messages; i++) {
            final int bytes = Math.min(most, lengthBytes - done);
            segment(flow, lane, laneIndex, source, offset + done, bytes, i == messages - 1);
            done += bytes;
        }
        return SendResult.SENT;
    }

    private void segment(
            final OutFlow flow, final Lane lane, final int laneIndex, final DirectBuffer source, final int offset,
            final int lengthBytes, final boolean isLast) {
        final Buffer buffer = core.sendPool(laneIndex).take();
        if (buffer == null) {
            throw new AssertionError("the pool said that it has enough");
        }
        buffer.owner = flow.port();
        buffer.length = lengthBytes;
        flow.port().holds(lengthBytes);
        slot.wrap(Core.payload(buffer), lengthBytes);
        slot.putBytes(0, source, offset, lengthBytes);
        lane.posted();
        core.header
                .wrap(buffer.address())
                .write(
                        MessageDescriptor.DATA, isLast ? MessageDescriptor.LAST : 0, flow.port().number(), flow.id(),
                        lengthBytes, flow.takeSequence())
                .grants(lane.tell(), flow.peer().tellControl());
        // What is accepted and not delivered counts as lost when the next turn ends the session.
        flow.peer().send(laneIndex, buffer, MessageDescriptor.SIZE + lengthBytes);
    }
}
