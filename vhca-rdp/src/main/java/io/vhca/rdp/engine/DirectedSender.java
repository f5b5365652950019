package io.vhca.rdp.engine;

import io.vhca.api.NativeMemory;
import io.vhca.rdp.common.RdpCounters.Counter;
import java.net.InetSocketAddress;

/** Writes datagrams into memory that their receivers have offered. */
public final class DirectedSender {
    private final Core core;
    private final PlaceWriter writer;

    DirectedSender(final Core core) {
        this.core = core;
        writer = new PlaceWriter(core);
    }

    /**
     * Writes into the memory that the destination has offered by that tag, or says at once why not: WOULD_BLOCK also
     * where none is offered. Nothing is copied, on neither side. When it is SENT the memory is the application's again
     * as soon as the port has a completion with that token.
     */
    public SendResult send(
            final OutFlow by, final long from, final int lengthBytes, final long tag, final long token) {
        return begin(by.latest(), from, lengthBytes, tag, token).counted(core.counters, lengthBytes);
    }

    private SendResult begin(
            final OutFlow flow, final long from, final int lengthBytes, final long tag, final long token) {
        if (core.isHere(flow.peer().address())) {
            return local(flow, from, lengthBytes, tag, token);
        }
        if (!flow.isOpen()) {
            return flow.want(core.nowNs());
        }
        final PeerOffers.Place place = flow.place(tag);
        if (place == null || flow.peer().isBroken()) {
            return SendResult.WOULD_BLOCK;
        }
        if (lengthBytes > place.length()) {
            return SendResult.TOO_LONG;
        }
        if (!flow.port().mayHold(lengthBytes)) {
            return SendResult.NO_BUFFERS;
        }
        if (!core.headerPool().has(1)) {
            core.headerPool().await(flow.port());
            return SendResult.NO_BUFFERS;
        }
        final int lane = core.config.laneOf(lengthBytes);
        // A stalled socket takes it: no receive buffer is needed for what it has memory for.
        flow.askByName();
        if (!flow.isWithinWindow(flow.peer().lanes(), 1) || !flow.peer().lane(lane).hasRoom(flow, 1)) {
            return SendResult.WOULD_BLOCK;
        }
        final InPlaceSend send = core.takeSend(flow.port(), from, lengthBytes, 1, token);
        if (send == null) {
            core.headerPool().awaitMemory(flow.port());
            return SendResult.NO_BUFFERS;
        }
        writer.write(flow, lane, from, lengthBytes, send, place);
        return SendResult.SENT;
    }

    private SendResult local(
            final OutFlow flow, final long from, final int lengthBytes, final long tag, final long token) {
        final Port to = core.ports.get(flow.destinationPort());
        if (to == null) {
            return SendResult.UNREACHABLE;
        }
        final InetSocketAddress source = new InetSocketAddress(core.address, flow.port().number());
        final PortOffers.Offer offer = to.offers().find(source, tag);
        if (offer == null) {
            return SendResult.WOULD_BLOCK;
        }
        if (lengthBytes > offer.length) {
            return SendResult.TOO_LONG;
        }
        NativeMemory.copy(from, offer.address, lengthBytes);
        core.counters.increment(Counter.TX_DIRECTED);
        to.offers().placed(offer, lengthBytes);
        flow.port().completed(token, false);
        return SendResult.SENT;
    }
}
