package io.vhca.physical.soft.engine.ud;

import io.vhca.api.AsyncEventType;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpSettings;
import io.vhca.physical.soft.engine.qp.Transport;
import io.vhca.physical.soft.engine.queue.SendQueue;
import io.vhca.physical.soft.wire.PacketFlyweight;

/**
 * The unreliable datagrams of one queue pair: one packet a message, done when it is sent (IB spec vol. 1, 9.8.3).
 * Nothing is held between packets, so there are no timers and nothing to hang. The engine's owner.
 */
public final class UdTransport implements Transport {
    private final QpContext qp;
    private final QpSettings settings;
    private final SendQueue sends;
    private final DatagramWriter writer;
    private final DatagramReceiver receiver;
    private boolean isDrainReported;

    /** Idle until the queue pair leaves INIT. */
    public UdTransport(
            final EngineCore core, final Port port, final PacketOutput output, final AhTable ahs, final QpContext qp) {
        this.qp = qp;
        settings = qp.settings();
        sends = qp.sends();
        writer = new DatagramWriter(port, output, ahs, qp);
        receiver = new DatagramReceiver(core.counters(), output, port.address(), qp);
    }

    @Override
    public boolean run(final int budget) {
        if (qp.state() == QpState.SQD && !isDrainReported) {
            isDrainReported = true;
            if (settings.isDrainNotified()) {
                qp.raise(AsyncEventType.SQ_DRAINED);
            }
        }
        for (int i = 0; i < budget; i++) {
            if (qp.state() != QpState.RTS || sends.consumer() == sends.producer()) {
                return false;
            }
            final WcStatus status = writer.send(sends.address(sends.consumer()));
            if (status != WcStatus.SUCCESS) {
                qp.failSend(status);
                return false;
            }
            qp.completeSend(status);
        }
        return true;
    }

    @Override
    public void onPacket(final PacketFlyweight packet) {
        receiver.onPacket(packet);
    }

    @Override
    public boolean hasDeadline() {
        return false;
    }

    @Override
    public long deadlineNs() {
        throw new IllegalStateException("a datagram queue pair has no timer");
    }

    @Override
    public void onDeadline() {
        // There is none.
    }

    @Override
    public void onState(final QpState from, final QpState to) {
        if (from != to) {
            isDrainReported = false;
        }
        if (from == QpState.RTR && to == QpState.RTS) {
            writer.start();
        }
    }

    @Override
    public void abandon(final boolean isLost) {
        // Nothing is held between packets.
    }

    @Override
    public void forget() {
        receiver.free();
    }

    @Override
    public void stall() {
        // Datagrams complete when they are sent: there is no state to hang in.
    }

    @Override
    public boolean isStalled() {
        return false;
    }

    @Override
    public boolean expectsAnswer() {
        return false;
    }

    @Override
    public boolean holdsUnplaced() {
        return false;
    }
}
