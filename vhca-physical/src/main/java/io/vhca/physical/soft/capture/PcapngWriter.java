package io.vhca.physical.soft.capture;

import io.vhca.api.Gid;
import io.vhca.physical.soft.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes a capture as a pcapng file of IP packets: a section, one interface with the device's name, and a block a
 * packet with its time and direction. The IP and UDP headers are made up again as a device writes them; what it does
 * not know, the identification, and the hop limit where none was asked for, is 0 and 64. One thread.
 */
public final class PcapngWriter {
    private static final int SECTION_BLOCK = 0x0A0D_0D0A;
    private static final int INTERFACE_BLOCK = 1;
    private static final int PACKET_BLOCK = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    private static final short LINKTYPE_RAW = 101;
    private static final int OPTION_IF_NAME = 2;
    private static final int OPTION_IF_RESOLUTION = 9;
    private static final int OPTION_FLAGS = 2;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;
    private static final int BLOCK_BYTES = 12;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int HOPS = 64;
    private static final int PROTOCOL_UDP = 17;
    private static final int LARGEST = 1 << 16;

    private final ByteBuffer block = ByteBuffer.allocate(LARGEST);

    /** Writes all of it; the channel stays open. */
    public static void write(final Capture capture, final WritableByteChannel to) throws IOException {
        final PcapngWriter writer = new PcapngWriter();
        writer.section();
        writer.send(to);
        writer.device(capture.device());
        writer.send(to);
        for (final CapturedPacket packet : capture.packets()) {
            writer.packet(capture.address(), packet);
            writer.send(to);
        }
    }

    private void send(final WritableByteChannel to) throws IOException {
        block.flip();
        while (block.hasRemaining()) {
            to.write(block);
        }
    }

    private void begin(final int type) {
        block.clear();
        block.putInt(type).putInt(0);
    }

    /** Both lengths of the block, which frame it. */
    private void end() {
        final int length = block.position() + Integer.BYTES;
        block.putInt(length);
        block.putInt(Integer.BYTES, length);
        assert length % Integer.BYTES == 0 && length >= BLOCK_BYTES : "a block of " + length + " bytes";
    }

    private void pad() {
        while (block.position() % Integer.BYTES != 0) {
            block.put((byte) 0);
        }
    }

    private void section() {
        begin(SECTION_BLOCK);
        block.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
        end();
    }

    private void device(final String name) {
        final byte[] letters = name.getBytes(StandardCharsets.US_ASCII);
        begin(INTERFACE_BLOCK);
        block.putShort(LINKTYPE_RAW).putShort((short) 0).putInt(0);
        block.putShort((short) OPTION_IF_NAME).putShort((short) letters.length).put(letters);
        pad();
        block.putShort((short) OPTION_IF_RESOLUTION).putShort((short) 1).put((byte) 9); // 10^-9 s
        pad();
        block.putInt(0);
        end();
    }

    private void packet(final Gid own, final CapturedPacket packet) {
        final boolean isV4 = own.isIpv4() && packet.peer().isIpv4();
        final int udp = UDP_BYTES + packet.length();
        final int total = (isV4 ? IPV4_BYTES : IPV6_BYTES) + udp;
        begin(PACKET_BLOCK);
        block.putInt(0).putInt((int) (packet.timeNs() >>> Integer.SIZE)).putInt((int) packet.timeNs());
        block.putInt(total - packet.length() + packet.bytes().length).putInt(total);
        final Gid from = packet.isSent() ? own : packet.peer();
        final Gid to = packet.isSent() ? packet.peer() : own;
        if (isV4) {
            ipv4(from, to, packet, total);
        } else {
            ipv6(from, to, packet, udp);
        }
        block.putShort((short) packet.sourcePort()).putShort((short) Wire.UDP_PORT).putShort((short) udp);
        block.putShort((short) 0).put(packet.bytes());
        pad();
        block.putShort((short) OPTION_FLAGS).putShort((short) Integer.BYTES);
        block.putInt(packet.isSent() ? OUTBOUND : INBOUND).putInt(0);
        end();
    }

    private static byte hops(final CapturedPacket packet) {
        return (byte) (packet.hopLimit() == 0 ? HOPS : packet.hopLimit());
    }

    private void ipv4(final Gid from, final Gid to, final CapturedPacket packet, final int total) {
        final int at = block.position();
        block.put((byte) 0x45).put((byte) packet.trafficClass()).putShort((short) total);
        block.putShort((short) 0).putShort((short) DONT_FRAGMENT);
        block.put(hops(packet)).put((byte) PROTOCOL_UDP).putShort((short) 0);
        block.putInt((int) from.interfaceId()).putInt((int) to.interfaceId());
        int sum = 0;
        for (int i = 0; i < IPV4_BYTES; i += Short.BYTES) {
            sum += Short.toUnsignedInt(block.getShort(at + i));
        }
        sum = (sum & 0xFFFF) + (sum >>> Short.SIZE);
        sum = (sum & 0xFFFF) + (sum >>> Short.SIZE);
        block.putShort(at + 10, (short) ~sum);
    }

    private void ipv6(final Gid from, final Gid to, final CapturedPacket packet, final int payload) {
        block.putInt(6 << 28 | packet.trafficClass() << 20).putShort((short) payload);
        block.put((byte) PROTOCOL_UDP).put(hops(packet));
        block.putLong(from.subnetPrefix()).putLong(from.interfaceId());
        block.putLong(to.subnetPrefix()).putLong(to.interfaceId());
    }
}
