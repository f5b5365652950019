package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.memory.RegistrationCache;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Sends datagrams: judges at once whether one can go, and cuts it into messages. */
public final class DatagramSender {
    private final Core core;
    private final LocalDelivery local;
    private final DataWriter messageWriter;
    private final UnsafeBuffer given = new UnsafeBuffer(0, 0);

    DatagramSender(final Core core) {
        this.core = core;
        local = new LocalDelivery(core);
        messageWriter = new DataWriter(core);
    }

    /** Sends a datagram, or says at once why not; the bytes are copied. */
    public SendResult send(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        return begin(flow.latest(), source, offset, lengthBytes, null).counted(core.counters, lengthBytes);
    }

    /**
     * Sends a datagram from where the application has it, or says at once why not. Short ones, those to this node, and
     * those whose memory the device has no room to register, are copied. When it is SENT the memory is the
     * application's again as soon as the port has a completion with that token.
     */
    public SendResult sendInPlace(final OutFlow by, final long address, final int lengthBytes, final long token) {
        final OutFlow flow = by.latest();
        given.wrap(address, lengthBytes);
        final boolean isShort = lengthBytes < Math.max(1, core.config.inPlaceBytes());
        final InPlaceSend inPlace = isShort || core.isHere(flow.peer().address())
                ? null
                : core.takeSend(
                        flow.port(), address, lengthBytes, core.config.messagesOf(lengthBytes), token);
        if (inPlace == null) {
            final SendResult result = send(flow, given, 0, lengthBytes);
            if (result == SendResult.SENT) {
                flow.port().completed(token, false);
            }
            return result;
        }
        final SendResult result = begin(flow, given, 0, lengthBytes, inPlace);
        if (result == SendResult.SENT) {
            core.counters.increment(Counter.TX_IN_PLACE);
            inPlace.sent();
        } else {
            core.giveBack(inPlace);
        }
        return result.counted(core.counters, lengthBytes);
    }

    private SendResult begin(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes,
            final @Nullable InPlaceSend inPlace) {
        assert !flow.isGone() : "a handle was kept that is gone";
        final Port port = flow.port();
        if (lengthBytes > core.config.longestMessage() || lengthBytes > port.sendLimit() - Port.OVERHEAD) {
            return SendResult.TOO_LONG;
        }
        return core.isHere(flow.peer().address())
                ? local.send(flow, source, offset, lengthBytes)
                : flow.isOpen() ? post(flow, source, offset, lengthBytes, inPlace) : flow.want(core.nowNs());
    }

    private SendResult post(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes,
            final @Nullable InPlaceSend inPlace) {
        final Port port = flow.port();
        final int laneIndex = core.config.laneOf(lengthBytes);
        final BufferPool pool = inPlace == null ? core.sendPool(laneIndex) : core.headerPool();
        final int most = core.sendPool(laneIndex).payloadBytes();
        final int messages = core.config.messagesOf(lengthBytes);
        final Peer peer = flow.peer();
        final Lane lane = peer.lane(laneIndex);
        if (messages > lane.mostMessages()) {
            // It never has room, and would keep those behind it waiting.
            return SendResult.TOO_LONG;
        }
        if (flow.isStalled() || peer.isBroken()) {
            return SendResult.WOULD_BLOCK;
        }
        if (!port.mayHold(lengthBytes)) {
            return SendResult.NO_BUFFERS;
        }
        if (inPlace == null && laneIndex == 0 && messageWriter.writeWithOthers(flow, source, offset, lengthBytes)) {
            return SendResult.SENT;
        }
        if (!pool.has(messages)) {
            pool.await(port);
            return SendResult.NO_BUFFERS;
        }
        if (!flow.isWithinWindow(peer.lanes(), messages) || !lane.hasRoom(flow, messages)) {
            return SendResult.WOULD_BLOCK;
        }
        int done = 0;
        for (int i = 0; i < messages; i++) {
            final int bytes = Math.min(most, lengthBytes - done);
            messageWriter.write(pool, flow, laneIndex, source, offset + done, bytes, i == messages - 1, inPlace);
            done += bytes;
        }
        return SendResult.SENT;
    }
}
