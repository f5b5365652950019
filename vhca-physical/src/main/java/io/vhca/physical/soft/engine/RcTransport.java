package io.vhca.physical.soft.engine;

import io.vhca.api.QpState;
import io.vhca.physical.soft.wire.Opcodes;

/** Reliable connection: a requester with its completer, and a responder. */
final class RcTransport implements Transport {
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;

    RcTransport(final SoftQp qp) {
        requester = new Requester(qp);
        completer = new Completer(qp, requester);
        responder = new Responder(qp);
    }

    @Override
    public void onPacket(
            final int opcode, final int flags, final long packet, final long payload, final int payloadLength) {
        if ((flags & Opcodes.RESPONSE) != 0) {
            completer.onResponse(opcode, packet, payload, payloadLength);
        } else {
            responder.onRequest(opcode, flags, packet, payload, payloadLength);
        }
    }

    @Override
    public boolean run(final int budget) {
        final boolean hasMoreResponses = responder.run(budget);
        return requester.run(budget) || hasMoreResponses;
    }

    @Override
    public boolean hasDeadline() {
        return requester.hasDeadline() || responder.hasDeadline();
    }

    @Override
    public long deadlineNs() {
        if (!responder.hasDeadline()) {
            return requester.deadlineNs();
        }
        final long placing = responder.deadlineNs();
        return requester.hasDeadline() && requester.deadlineNs() - placing < 0 ? requester.deadlineNs() : placing;
    }

    @Override
    public void onDeadline() {
        responder.onDeadline();
        requester.onDeadline();
    }

    @Override
    public void onState(final QpState from, final QpState to) {
        if (to == QpState.RTR) {
            responder.start();
        } else if (to == QpState.RTS && from == QpState.RTR) {
            requester.start();
        }
    }

    @Override
    public void abandon(final boolean isLost) {
        requester.stop();
        responder.abandon(isLost);
    }

    @Override
    public void forget() {
        requester.stop();
        responder.forget();
    }

    @Override
    public void stall() {
        requester.stall();
    }

    @Override
    public boolean isStalled() {
        return requester.isStalled();
    }

    @Override
    public boolean holdsUnplaced() {
        return responder.holdsUnplaced();
    }
}
