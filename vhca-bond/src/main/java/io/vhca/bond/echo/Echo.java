package io.vhca.bond.echo;

import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.ServiceClass;
import io.vhca.bond.wire.EchoDescriptor;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A question whether a path carries, or its answer.
 *
 * @param kind    {@link EchoDescriptor#QUESTION} or {@link EchoDescriptor#ANSWER}
 * @param service of the packets that the path is asked for; the answer goes with the same
 * @param nonce   tells the question that an answer is to
 * @param asker   the member's address from which it was asked
 */
record Echo(int kind, ServiceClass service, long nonce, InetAddress asker) {
    private static final int MOST_SERVICE_LEVEL = 15;

    /** What came or was written, {@value EchoDescriptor#SIZE} bytes; whoever sent it, it holds no wrong value. */
    static Echo decode(final ByteBuffer data) {
        final ServiceClass service = new ServiceClass(
                field(data.get(EchoDescriptor.TRAFFIC_CLASS_OFFSET)),
                field((byte) (data.get(EchoDescriptor.SERVICE_LEVEL_OFFSET) & MOST_SERVICE_LEVEL)),
                field(data.get(EchoDescriptor.HOP_LIMIT_OFFSET)));
        final Gid address = new Gid(
                data.getLong(EchoDescriptor.ADDRESS_OFFSET),
                data.getLong(EchoDescriptor.ADDRESS_OFFSET + Long.BYTES));
        return new Echo(
                data.get(EchoDescriptor.KIND_OFFSET), service, data.getLong(EchoDescriptor.NONCE_OFFSET),
                address.address());
    }

    private static int field(final byte value) {
        return value == 0 ? ServiceClass.UNSET : Byte.toUnsignedInt(value);
    }

    void encode(final ByteBuffer to) {
        final Gid address = Gid.of(asker);
        final AhAttributes vector = service.to(address, 0, 0);
        to.putLong(EchoDescriptor.KIND_OFFSET, 0)
                .put(EchoDescriptor.KIND_OFFSET, (byte) kind)
                .put(EchoDescriptor.TRAFFIC_CLASS_OFFSET, (byte) vector.trafficClass())
                .put(EchoDescriptor.SERVICE_LEVEL_OFFSET, (byte) vector.serviceLevel())
                .put(EchoDescriptor.HOP_LIMIT_OFFSET, (byte) vector.hopLimit())
                .putLong(EchoDescriptor.NONCE_OFFSET, nonce)
                .putLong(EchoDescriptor.ADDRESS_OFFSET, address.subnetPrefix())
                .putLong(EchoDescriptor.ADDRESS_OFFSET + Long.BYTES, address.interfaceId());
    }

    Echo answer() {
        return new Echo(EchoDescriptor.ANSWER, service, nonce, asker);
    }
}
