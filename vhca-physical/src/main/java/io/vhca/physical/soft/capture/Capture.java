package io.vhca.physical.soft.capture;

import io.vhca.api.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a capture file holds, of a device that runs, of one whose process is dead, or of whoever put it there: it is
 * copied and never mapped, and nothing in it is taken for granted. Any thread.
 *
 * <p>Each slot is copied twice: one that is not the same in both copies was being written, and is left out.
 *
 * @param device  the device's name, letters that can be shown
 * @param pid     of its process
 * @param address the device's GID
 * @param packets oldest first
 */
public record Capture(String device, long pid, Gid address, List<CapturedPacket> packets) {
    /** What UDP carries at most. */
    private static final int MOST_BYTES = 0xFFFF;

    /**
     * Reads a file.
     *
     * @throws IOException where there is none, or it is no capture; the message names the file
     */
    public static Capture read(final Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is no capture of a soft device: it is no file");
        }
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < CaptureDescriptor.FILE_BYTES) {
                throw new IOException(path + " is no capture of a soft device: it is too short");
            }
            final ByteBuffer header = bytes(CaptureDescriptor.HEADER_BYTES);
            fill(channel, path, header, 0);
            if (header.getLong(CaptureDescriptor.MAGIC_OFFSET) != CaptureDescriptor.MAGIC) {
                throw new IOException(path + " is no capture of a soft device: it begins with something else");
            }
            final int version = header.getInt(CaptureDescriptor.VERSION_OFFSET);
            if (version != CaptureDescriptor.VERSION) {
                throw new IOException(path + " is a capture of version " + version + ", this tool reads version "
                        + CaptureDescriptor.VERSION + "; use the tool of the application's version");
            }
            return new Capture(
                    name(header),
                    header.getLong(CaptureDescriptor.PID_OFFSET),
                    new Gid(
                            header.getLong(CaptureDescriptor.ADDRESS_HIGH_OFFSET),
                            header.getLong(CaptureDescriptor.ADDRESS_LOW_OFFSET)),
                    packets(channel, path));
        }
    }

    private static List<CapturedPacket> packets(final FileChannel channel, final Path path) throws IOException {
        final ByteBuffer first = bytes(CaptureDescriptor.SLOT_BYTES);
        final ByteBuffer second = bytes(CaptureDescriptor.SLOT_BYTES);
        final List<CapturedPacket> found = new ArrayList<>();
        for (int slot = 0; slot < CaptureDescriptor.SLOTS; slot++) {
            fill(channel, path, first, CaptureDescriptor.slot(slot));
            final long sequence = first.getLong(CaptureDescriptor.SEQUENCE_OFFSET);
            final int length = first.getInt(CaptureDescriptor.LENGTH_OFFSET);
            if (sequence <= 0 || CaptureDescriptor.slot(sequence - 1) != CaptureDescriptor.slot(slot)
                    || length < 0 || length > MOST_BYTES) {
                continue;
            }
            fill(channel, path, second, CaptureDescriptor.slot(slot));
            if (first.equals(second)) {
                found.add(packet(first, sequence, length));
            }
        }
        found.sort(Comparator.comparingLong(CapturedPacket::number));
        return List.copyOf(found);
    }

    private static CapturedPacket packet(final ByteBuffer slot, final long number, final int length) {
        final byte[] packet = new byte[Math.min(length, CaptureDescriptor.PACKET_BYTES)];
        slot.get(CaptureDescriptor.PACKET_OFFSET, packet);
        return new CapturedPacket(
                number,
                slot.getLong(CaptureDescriptor.TIME_OFFSET),
                (slot.getInt(CaptureDescriptor.FLAGS_OFFSET) & CaptureDescriptor.SENT) != 0,
                new Gid(
                        slot.getLong(CaptureDescriptor.PEER_HIGH_OFFSET),
                        slot.getLong(CaptureDescriptor.PEER_LOW_OFFSET)),
                slot.getInt(CaptureDescriptor.PORT_OFFSET) & 0xFFFF,
                slot.getInt(CaptureDescriptor.CLASS_OFFSET) & 0xFF,
                slot.getInt(CaptureDescriptor.HOPS_OFFSET) & 0xFF,
                length,
                packet);
    }

    private static ByteBuffer bytes(final int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
    }

    private static void fill(final FileChannel channel, final Path path, final ByteBuffer into, final long offset)
            throws IOException {
        into.clear();
        while (into.hasRemaining()) {
            if (channel.read(into, offset + into.position()) < 0) {
                throw new IOException(path + " was cut short while it was read");
            }
        }
        into.flip();
    }

    private static String name(final ByteBuffer header) {
        final int length = Math.min(
                Byte.toUnsignedInt(header.get(CaptureDescriptor.NAME_OFFSET)), CaptureDescriptor.NAME_BYTES - 1);
        return new String(header.array(), CaptureDescriptor.NAME_OFFSET + 1, length, StandardCharsets.US_ASCII)
                .replaceAll("[^A-Za-z0-9_-]", "?");
    }
}
