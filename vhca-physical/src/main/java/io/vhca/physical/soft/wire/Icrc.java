package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The invariant CRC of RoCEv2 (IB spec vol. 1, annex A17.3.3): CRC-32 over eight bytes of ones, the IP and UDP headers
 * and the packet, with the fields that routers change taken as ones; stored little-endian.
 *
 * <p>The IP header is not seen here, so it is assumed to be what a RoCEv2 sender writes: no options, identification 0,
 * don't-fragment set; {@link IpIdentification} finds another identification from the difference. Allocates only when a
 * packet lies in another gigabyte of the address space than the two before. One thread at a time.
 */
public final class Icrc {
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;
    private static final int LEAD_BYTES = 8;
    private static final int PREFIX_BYTES = LEAD_BYTES + IPV6_BYTES + UDP_BYTES + BthDescriptor.SIZE;
    private static final long V4_MAPPED_HIGH_HALF = 0xffffL;
    private static final int IP_PROTOCOL_UDP = 17;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final long WINDOW_MASK = (1L << 30) - 1;
    private static final int WINDOW_BYTES = (1 << 30) + (1 << 17);
    private static final byte ONES = (byte) 0xff;

    private final CRC32 crc = new CRC32();
    private final byte[] prefix = new byte[PREFIX_BYTES];
    private final ByteBuffer fields = ByteBuffer.wrap(prefix).order(ByteOrder.BIG_ENDIAN);
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowBase = -1;
    private ByteBuffer otherWindow = window;
    private long otherBase = -1;

    /** Creates a calculator for any pair of addresses. */
    public Icrc() {
        fields.putLong(0, -1);
    }

    /** True where the GID stands for an IPv4 address. */
    public static boolean isIpv4(final long gidHigh, final long gidLow) {
        return gidHigh == 0 && gidLow >>> 32 == V4_MAPPED_HIGH_HALF;
    }

    /**
     * The ICRC of a packet.
     *
     * @param lengthBytes BTH up to, not including, the ICRC
     */
    public int compute(
            final long sourceHigh,
            final long sourceLow,
            final long destinationHigh,
            final long destinationLow,
            final int sourcePort,
            final long packetAddress,
            final int lengthBytes) {
        final int udpBytes = UDP_BYTES + lengthBytes + Wire.ICRC_BYTES;
        final int udpOffset = putIp(sourceHigh, sourceLow, destinationHigh, destinationLow, udpBytes);
        fields.putInt(udpOffset, sourcePort << 16 | Wire.UDP_PORT);
        fields.putInt(udpOffset + 4, udpBytes << 16 | 0xffff);
        final int bthOffset = udpOffset + UDP_BYTES;
        fields.putInt(bthOffset, Wire.getInt(packetAddress));
        fields.putInt(bthOffset + 4, Wire.getInt(packetAddress + BthDescriptor.DEST_QP_OFFSET));
        fields.putInt(bthOffset + 8, Wire.getInt(packetAddress + BthDescriptor.PSN_OFFSET));
        prefix[bthOffset + BthDescriptor.DEST_QP_OFFSET] = ONES;
        crc.reset();
        crc.update(prefix, 0, bthOffset + BthDescriptor.SIZE);
        if (lengthBytes > BthDescriptor.SIZE) {
            crc.update(view(packetAddress + BthDescriptor.SIZE, lengthBytes - BthDescriptor.SIZE));
        }
        return (int) crc.getValue();
    }

    /** Puts the IP header into the prefix; where the UDP header begins. */
    private int putIp(
            final long sourceHigh,
            final long sourceLow,
            final long destinationHigh,
            final long destinationLow,
            final int udpBytes) {
        if (isIpv4(destinationHigh, destinationLow)) {
            fields.putInt(LEAD_BYTES, 0x45ff_0000 | IPV4_BYTES + udpBytes);
            fields.putInt(LEAD_BYTES + 4, DONT_FRAGMENT);
            fields.putInt(LEAD_BYTES + 8, 0xff00_ffff | IP_PROTOCOL_UDP << 16);
            fields.putInt(LEAD_BYTES + 12, (int) sourceLow);
            fields.putInt(LEAD_BYTES + 16, (int) destinationLow);
            return LEAD_BYTES + IPV4_BYTES;
        }
        fields.putInt(LEAD_BYTES, 0x6fff_ffff);
        fields.putInt(LEAD_BYTES + 4, udpBytes << 16 | IP_PROTOCOL_UDP << 8 | 0xff);
        fields.putLong(LEAD_BYTES + 8, sourceHigh);
        fields.putLong(LEAD_BYTES + 16, sourceLow);
        fields.putLong(LEAD_BYTES + 24, destinationHigh);
        fields.putLong(LEAD_BYTES + 32, destinationLow);
        return LEAD_BYTES + IPV6_BYTES;
    }

    /** Writes an ICRC behind the packet. */
    public static void put(final long address, final int icrc) {
        NativeMemory.putInt(address,
                ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? icrc : Integer.reverseBytes(icrc));
    }

    /** Reads the ICRC behind a packet. */
    public static int get(final long address) {
        final int raw = NativeMemory.getInt(address);
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? raw : Integer.reverseBytes(raw);
    }

    /** CRC32 takes native memory only as a buffer, and a buffer a packet would be garbage: one covers a gigabyte. */
    private ByteBuffer view(final long address, final int lengthBytes) {
        final long base = address & ~WINDOW_MASK;
        if (base != windowBase) {
            final ByteBuffer last = window;
            final long lastBase = windowBase;
            if (base == otherBase) {
                window = otherWindow;
            } else {
                window = MemorySegment.ofAddress(base).reinterpret(WINDOW_BYTES).asByteBuffer();
            }
            windowBase = base;
            otherWindow = last;
            otherBase = lastBase;
        }
        final int position = (int) (address - base);
        return window.limit(position + lengthBytes).position(position);
    }
}
