package io.vhca.physical.soft.engine.rc;

import io.vhca.api.QpState;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.Transport;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;

/** The reliable connection of one queue pair: a requester with its completer, and a responder. The engine's owner. */
public final class RcTransport implements Transport {
    /**
     * How long an acknowledgement that the peer did not request is put off at most. Less than any local ack timeout
     * from 9 on; a requester that cannot wait so long, or has no retry, asks for each message.
     */
    public static final long ACK_DELAY_NS = 2_000_000;

    private final RequestWriter writer;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final CongestionControl congestion;

    /** Idle until the queue pair leaves INIT. */
    public RcTransport(final EngineCore core, final PacketOutput output, final QpContext qp) {
        writer = new RequestWriter(output, qp);
        final NicCounters counters = core.counters();
        requester = new Requester(core, qp, writer);
        congestion = new CongestionControl(core, output, qp, requester);
        completer = new Completer(qp, requester, counters, output);
        responder = new Responder(
                qp,
                counters,
                new PayloadPlacer(core, qp),
                new ResponseSender(core, qp, output));
    }

    @Override
    public void onPacket(final PacketFlyweight packet) {
        if (packet.has(Opcodes.CONGESTION)) {
            congestion.onNotified();
            return;
        }
        final boolean isResponse = packet.has(Opcodes.RESPONSE);
        final long before = isResponse ? requester.unacked() : responder.expected();
        if (isResponse) {
            completer.onResponse(packet);
        } else {
            responder.onRequest(packet);
        }
        // Who sends what was expected knows the PSN: it is the peer, not somebody who uses its address.
        if (before != (isResponse ? requester.unacked() : responder.expected())) {
            writer.heard(packet);
            if (packet.isCongested()) {
                congestion.onMarked(isResponse && packet.payloadLength() > 0);
            }
        }
    }

    @Override
    public boolean run(final int budget) {
        // An acknowledgement is shorter than most requests: behind them it is the end of their train.
        final boolean hasMoreRequests = requester.run(budget);
        return responder.run(budget) || hasMoreRequests;
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
        final long ofResponder = responder.deadlineNs();
        return requester.hasDeadline() && requester.deadlineNs() - ofResponder < 0
                ? requester.deadlineNs()
                : ofResponder;
    }

    @Override
    public void onDeadline() {
        responder.onDeadline();
        requester.onDeadline();
    }

    @Override
    public void onState(final QpState from, final QpState to) {
        if (from != to) {
            requester.onState();
        }
        if (to == QpState.RTR) {
            responder.start();
        } else if (to == QpState.RTS && from == QpState.RTR) {
            requester.start();
        } else if (to == QpState.RTS && from == QpState.SQD) {
            requester.resume();
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
    public boolean expectsAnswer() {
        return requester.expectsAnswer();
    }

    @Override
    public boolean holdsUnplaced() {
        return responder.holdsUnplaced();
    }
}
