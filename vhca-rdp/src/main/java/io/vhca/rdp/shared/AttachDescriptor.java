package io.vhca.rdp.shared;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What is said over the Unix domain socket, in network byte order, before there is shared memory: who wants it asks,
 * and the driver answers, with the memory beside the answer where the errno is 0.
 *
 * <pre>
 *   0        8          12         16
 *  +--------+----------+----------+
 *  | magic  | version  | 0        |                                                                     request
 *  +--------+----------+----------+
 *   0        8          12       16           20        24      32              36         52             56
 *  +--------+----------+--------+------------+---------+-------+---------------+----------+--------------+- - - -
 *  | magic  | version  | errno  | ring bytes | longest | pid   | address bytes | address  | text bytes   | text
 *  +--------+----------+--------+------------+---------+-------+---------------+----------+--------------+- - - -
 * </pre>
 */
final class AttachDescriptor {
    static final long MAGIC = 0x7648_4341_2D52_4450L;
    static final int VERSION = 4;
    static final int REQUEST_SIZE = 16;
    static final int ANSWER_SIZE = 512;

    private static final int ADDRESS_BYTES = 16;
    private static final int TEXT_OFFSET = 56;

    /**
     * What a driver says to who asks.
     *
     * @param errno     0: the memory comes with it
     * @param ringBytes of each ring, without its trailer
     * @param longest   datagram
     * @param text      why not
     */
    record Answer(int version, int errno, int ringBytes, int longest, long pid, InetAddress address, String text) {}

    private AttachDescriptor() {}

    static byte[] request(final int version) {
        return ByteBuffer.allocate(REQUEST_SIZE).putLong(MAGIC).putInt(version).array();
    }

    /**
     * The version of who asks.
     *
     * @return -1 where it is none who asks
     */
    static int version(final ByteBuffer request) {
        return request.getLong(0) == MAGIC ? request.getInt(Long.BYTES) : -1;
    }

    static byte[] encode(final Answer answer) {
        final byte[] address = answer.address().getAddress();
        final byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
        final int textBytes = Math.min(text.length, ANSWER_SIZE - TEXT_OFFSET);
        return ByteBuffer.allocate(ANSWER_SIZE)
                .putLong(MAGIC)
                .putInt(answer.version())
                .putInt(answer.errno())
                .putInt(answer.ringBytes())
                .putInt(answer.longest())
                .putLong(answer.pid())
                .putInt(address.length)
                .put(Arrays.copyOf(address, ADDRESS_BYTES))
                .putInt(textBytes)
                .put(text, 0, textBytes)
                .array();
    }

    /**
     * @throws IllegalArgumentException says why it is no answer of a driver
     */
    static Answer decode(final byte[] raw) {
        final ByteBuffer from = ByteBuffer.wrap(raw);
        try {
            if (from.getLong() != MAGIC) {
                throw new IllegalArgumentException("what listens there is no driver of datagram sockets");
            }
            final int version = from.getInt();
            final int errno = from.getInt();
            final int ringBytes = from.getInt();
            final int longest = from.getInt();
            final long pid = from.getLong();
            final int addressBytes = from.getInt();
            final byte[] address = new byte[ADDRESS_BYTES];
            from.get(address);
            final byte[] text = new byte[Math.clamp(from.getInt(), 0, ANSWER_SIZE - TEXT_OFFSET)];
            from.get(text);
            if (errno == 0 && (!RegionDescriptor.isRing(ringBytes)
                    || longest < 0 || longest > RegionDescriptor.longestDatagram(ringBytes))) {
                throw new IllegalArgumentException(
                        "the driver offers rings of " + ringBytes + " bytes for datagrams of " + longest);
            }
            return new Answer(
                    version, errno, ringBytes, longest, pid,
                    InetAddress.getByAddress(Arrays.copyOf(address, Math.clamp(addressBytes, 0, ADDRESS_BYTES))),
                    new String(text, StandardCharsets.UTF_8));
        } catch (final BufferUnderflowException | UnknownHostException e) {
            throw new IllegalArgumentException("the driver's answer cannot be read", e);
        }
    }
}
