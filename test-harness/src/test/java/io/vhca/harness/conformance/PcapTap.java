package io.vhca.harness.conformance;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A carrier that records what is sent through it, as a pcap file of raw IPv4 packets (LINKTYPE_RAW): the headers are
 * those that the kernel would write, identification 0 and don't-fragment included.
 */
final class PcapTap extends ForwardingCarrier {
    private static final int LINKTYPE_RAW = 101;
    private static final int IP_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int ROCE_PORT = 4791;

    private final ByteArrayOutputStream file;
    private final List<Gid> destinations = new ArrayList<>();

    /** @param file several taps may share one, see {@link #header()} */
    PcapTap(final Carrier carrier, final ByteArrayOutputStream file) {
        super(carrier);
        this.file = file;
    }

    /** What a pcap file starts with. */
    static byte[] header() {
        return ByteBuffer.allocate(24)
                .putInt(0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65_535)
                .putInt(LINKTYPE_RAW)
                .array();
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        final int total = IP_BYTES + UDP_BYTES + lengthBytes;
        final ByteBuffer record = ByteBuffer.allocate(16 + total);
        record.putInt(0).putInt(0).putInt(total).putInt(total);
        record.put((byte) 0x45).put((byte) 0).putShort((short) total).putShort((short) 0).putShort((short) 0x4000);
        record.put((byte) 64).put((byte) 17).putShort((short) 0);
        record.putInt((int) address().interfaceId());
        record.putInt((int) destinations.get(route).interfaceId());
        record.putShort((short) sourcePort()).putShort((short) ROCE_PORT);
        record.putShort((short) (UDP_BYTES + lengthBytes)).putShort((short) 0);
        for (int i = 0; i < lengthBytes; i++) {
            record.put(NativeMemory.getByte(packetAddress + i));
        }
        synchronized (file) {
            file.writeBytes(record.array());
        }
        return super.send(route, packetAddress, lengthBytes);
    }

    @Override
    public int route(final Destination destination) {
        final int token = super.route(destination);
        if (token == destinations.size()) {
            destinations.add(destination.gid());
        } else if (token >= 0) {
            destinations.set(token, destination.gid());
        }
        return token;
    }
}
