package io.vhca.harness.bench.wire;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.udp.UdpCarrier;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.Wire;
import java.net.InetAddress;

/**
 * Datagrams in trains at both ends (UDP_SEGMENT, UDP_GRO), many by one system call: what UDP can do. It is the soft
 * device's own socket, without the device.
 */
final class TrainDatagrams implements Datagrams {
    private static final int MTU = 4096;
    private static final int BATCH = 64;
    /** To the carrier it is a packet, and so begins with a BTH. */
    private static final int NUMBER_OFFSET = BthDescriptor.SIZE;
    private static final int LEAST_BYTES = NUMBER_OFFSET + Long.BYTES;

    private final UdpCarrier carrier;
    private final int route;

    TrainDatagrams(final InetAddress local, final InetAddress peer) {
        carrier = new UdpCarrier("udp-trains", local, MTU);
        route = carrier.route(Gid.of(peer));
        carrier.heard(route, Wire.UDP_PORT, false);
    }

    @Override
    public boolean send(final long number, final int bytes) {
        final long packet = carrier.place();
        NativeMemory.fill(packet, NUMBER_OFFSET, (byte) 0);
        NativeMemory.putLong(packet + NUMBER_OFFSET, number);
        return carrier.send(route, packet, Math.max(bytes, LEAST_BYTES));
    }

    @Override
    public void flush() {
        carrier.flush();
    }

    @Override
    public int receive(final Taker taker) {
        return carrier.receive(
                (high, low, port, trafficClass, packet, bytes) ->
                        taker.take(NativeMemory.getLong(packet + NUMBER_OFFSET), bytes),
                BATCH);
    }

    @Override
    public void close() {
        carrier.close();
    }
}
