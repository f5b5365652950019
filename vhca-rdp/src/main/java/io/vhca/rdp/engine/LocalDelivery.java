package io.vhca.rdp.engine;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Datagrams to a socket of the same node: copied from one to the other, stalls and limits as for any other. */
final class LocalDelivery {
    private final Core core;
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);

    LocalDelivery(final Core core) {
        this.core = core;
    }

    SendResult send(final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Port to = core.ports.get(flow.destinationPort());
        if (to == null) {
            return SendResult.UNREACHABLE;
        }
        if (to.isStalled()) {
            return SendResult.WOULD_BLOCK;
        }
        final BufferPool pool = core.receivePool(core.config.laneOf(lengthBytes));
        Buffer first = null;
        Buffer last = null;
        int done = 0;
        do {
            final Buffer buffer = pool.take();
            if (buffer == null) {
                giveBack(first);
                pool.await(flow.port());
                return SendResult.NO_BUFFERS;
            }
            buffer.length = Math.min(lengthBytes - done, pool.payloadBytes());
            buffer.flow = localFlow(flow, to);
            slot.wrap(buffer.payloadAddress(), buffer.length);
            slot.putBytes(0, source, offset + done, buffer.length);
            done += buffer.length;
            if (last == null) {
                first = buffer;
            } else {
                last.nextSegment = buffer;
            }
            last = buffer;
        } while (done < lengthBytes);
        if (first != null) {
            to.deliver(first, lengthBytes);
        }
        return SendResult.SENT;
    }

    private InFlow localFlow(final OutFlow flow, final Port to) {
        InFlow local = flow.local();
        if (local == null || local.port() != to) {
            local = new InFlow(core, flow.peer(), -1, flow.port().number(), to);
            flow.local(local);
        }
        return local;
    }

    private static void giveBack(final @Nullable Buffer first) {
        Buffer segment = first;
        while (segment != null) {
            final Buffer next = segment.nextSegment;
            segment.pool().release(segment);
            segment = next;
        }
    }
}
