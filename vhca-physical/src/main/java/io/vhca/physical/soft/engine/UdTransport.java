package io.vhca.physical.soft.engine;

import io.vhca.api.QpState;

/** The transport. */
final class UdTransport implements Transport {
    UdTransport(final SoftQp qp) {
        assert qp != null;
    }

    @Override
    public void onPacket(final int opcode, final int flags, final long packet, final long payload, final int payloadLength) {}

    @Override
    public boolean run(final int budget) {
        return false;
    }

    @Override
    public boolean hasDeadline() {
        return false;
    }

    @Override
    public long deadlineNs() {
        return 0;
    }

    @Override
    public void onDeadline() {}

    @Override
    public void onState(final QpState from, final QpState to) {}

    @Override
    public void abandon(final boolean isLost) {}

    @Override
    public boolean holdsUnplaced() {
        return false;
    }
}
