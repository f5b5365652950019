package io.vhca.physical.soft.carrier;

import io.vhca.api.Gid;

/**
 * A carrier that hands every call to another one, which it owns: what a tap, a fuzzer or a shaper extends. Threads as
 * the other one's.
 */
public abstract class ForwardingCarrier implements Carrier {
    private final Carrier carrier;

    /** @param carrier closed with this one */
    protected ForwardingCarrier(final Carrier carrier) {
        this.carrier = carrier;
    }

    @Override
    public Gid address() {
        return carrier.address();
    }

    @Override
    public int sourcePort() {
        return carrier.sourcePort();
    }

    @Override
    public int maxPacketBytes() {
        return carrier.maxPacketBytes();
    }

    @Override
    public boolean isUp() {
        return carrier.isUp();
    }

    @Override
    public long pauses() {
        return carrier.pauses();
    }

    @Override
    public boolean reaches(final Gid destination) {
        return carrier.reaches(destination);
    }

    @Override
    public int route(final Destination destination) {
        return carrier.route(destination);
    }

    @Override
    public void release(final int route) {
        carrier.release(route);
    }

    @Override
    public void heard(final int route, final int sourcePort, final boolean takesFilled) {
        carrier.heard(route, sourcePort, takesFilled);
    }

    @Override
    public long place() {
        return carrier.place();
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        return carrier.send(route, packetAddress, lengthBytes);
    }

    @Override
    public void flush() {
        carrier.flush();
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        return carrier.receive(handler, limit);
    }

    @Override
    public void close() {
        carrier.close();
    }
}
