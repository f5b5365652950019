package io.vhca.physical.soft.udp;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.soft.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * UDP over a raw IPv4 socket, for a host whose kernel has the port for all its addresses: rdma_rxe takes it whether or
 * not it has a device at the address in question. What is received begins with the IP header, what is sent with the
 * UDP header; the kernel writes the IP header as it does for a UDP socket. Nothing but packets to RoCE's port is
 * received. Needs CAP_NET_RAW. Control path, except {@link #putHeader}, {@link #header} and
 * {@link #sourcePort}; any thread.
 *
 * <pre>
 * UDP header, big-endian                                     struct sock_filter         struct sock_fprog
 *   0             2                  4        6          8     0      2    3    4   8      0     2     8        16
 *   | source port | destination port | length | checksum |     | code | jt | jf | k |      | len | pad | filter |
 * </pre>
 */
final class RawUdp {
    /** In front of a packet that is sent. */
    static final int HEADER_BYTES = 8;

    /** DEVICE/ports/PORT/gids/INDEX. */
    private static final int GID_DEPTH = 5;

    /** Where adapters send from, not where soft devices do: {@link UdpCarrier} tells by it who takes trains. */
    static final int SOURCE_PORT = 0xc000 | Wire.UDP_PORT;

    private static final int DESTINATION = 2;
    private static final int LENGTH = 4;
    private static final int CHECKSUM = 6;
    /** Of the IP header. */
    private static final int TRAFFIC_CLASS = 1;
    private static final int NO_HEADER = -1;
    /** Whoever is flooded with packets of its own does not stay there. */
    private static final int MOST_DROPPED = 1 << 16;
    private static final int INSTRUCTION_BYTES = 8;
    private static final int PROGRAM_BYTES = 16;
    /** X = length of the IP header; A = 16 bits at X + 2, the destination port; all of it when that is ours. */
    private static final long[][] FILTER = {
        {0xb1, 0, 0, 0}, {0x48, 0, 0, DESTINATION}, {0x15, 0, 1, Wire.UDP_PORT}, {0x06, 0, 0, 0xffff}, {0x06, 0, 0, 0},
    };

    private RawUdp() {}

    /** True where the kernel's rdma_rxe has the port, for all IPv4 addresses. */
    static boolean isPortOfKernel() {
        if (Files.notExists(Path.of("/sys/module/rdma_rxe"))) {
            return false;
        }
        final String wildcard = String.format(Locale.ROOT, " 00000000:%04X ", Wire.UDP_PORT);
        try {
            return Files.readString(Path.of("/proc/net/udp")).contains(wildcard);
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * A raw socket bound to nothing yet.
     *
     * @param address what it is for
     * @throws VerbsException EADDRINUSE where a device of the kernel's answers there, EPERM without the right to have
     *     one, or what the host lacks for it
     */
    static int open(final String deviceName, final Gid address) {
        final String rival = deviceAt(address, Path.of("/sys/class/infiniband"));
        if (!rival.isEmpty()) {
            throw new VerbsException(
                    "openDevice",
                    Errno.EADDRINUSE,
                    deviceName,
                    "the device " + rival + " has the address " + address + " already, and both would answer: give one"
                            + " of them another address, or open " + rival);
        }
        final int socket = LibC.socket(
                LibC.AF_INET, LibC.SOCK_RAW | LibC.SOCK_NONBLOCK | LibC.SOCK_CLOEXEC, LibC.IPPROTO_UDP);
        if (socket < 0) {
            throw refused(deviceName, -socket);
        }
        try (Arena arena = Arena.ofConfined()) {
            final long filter = arena.allocate((long) FILTER.length * INSTRUCTION_BYTES, 8).address();
            for (int i = 0; i < FILTER.length; i++) {
                final long at = filter + (long) i * INSTRUCTION_BYTES;
                NativeMemory.putShort(at, (short) FILTER[i][0]);
                NativeMemory.putByte(at + 2, (byte) FILTER[i][1]);
                NativeMemory.putByte(at + 3, (byte) FILTER[i][2]);
                NativeMemory.putInt(at + 4, (int) FILTER[i][3]);
            }
            final long program = arena.allocate(PROGRAM_BYTES, 8).address();
            NativeMemory.putShort(program, (short) FILTER.length);
            NativeMemory.putLong(program + 8, filter);
            LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_ATTACH_FILTER, program, PROGRAM_BYTES);
        } catch (final RuntimeException | Error e) {
            Posix.close(socket);
            throw e;
        }
        return socket;
    }

    /** Nobody gives the port back who waits for it: no EADDRINUSE, after which the device might be opened later. */
    static VerbsException refused(final String deviceName, final int errno) {
        final String why = errno == Errno.EPERM
                ? " needs CAP_NET_RAW; run as root, or `modprobe -r rdma_rxe`"
                : " could not be made" + Errno.descriptorHint(errno);
        return new VerbsException(
                "openDevice",
                errno,
                deviceName,
                "UDP port " + Wire.UDP_PORT + " is taken: the kernel's rdma_rxe has it for all addresses, and a raw"
                        + " socket beside it" + why);
    }

    /**
     * Drops what came to the socket before it was bound: until then it has the packets to all addresses of this host.
     *
     * @return how many those were
     */
    static int drop(final int socket) {
        try (Arena arena = Arena.ofConfined()) {
            // A message without room: what is received is cut off to nothing.
            final long message = arena.allocate(SocketLayout.MMSG_SIZE, Long.BYTES).address();
            int dropped = 0;
            while (dropped < MOST_DROPPED && LibC.recvmmsgBlind(socket, message, 1) > 0) {
                dropped++;
            }
            return dropped;
        }
    }

    /** The RDMA device below that directory which has the GID, or an empty string. */
    static String deviceAt(final Gid gid, final Path devices) {
        final String wanted = String.format(Locale.ROOT, "%016x%016x", gid.subnetPrefix(), gid.interfaceId());
        try (Stream<Path> files = Files.find(
                devices, GID_DEPTH, (path, kind) -> isGid(path), FileVisitOption.FOLLOW_LINKS)) {
            return files.filter(file -> read(file).replace(":", "").strip().equals(wanted))
                    .map(file -> devices.relativize(file).getName(0).toString())
                    .findFirst()
                    .orElse("");
        } catch (final IOException | UncheckedIOException e) {
            // There are no devices, or one went away just now.
            return "";
        }
    }

    private static boolean isGid(final Path path) {
        final Path directory = path.getParent();
        return directory != null && directory.endsWith("gids");
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            // Entries of the table that nothing is in cannot be read.
            return "";
        }
    }

    /**
     * Two raw sockets can have one address, two soft devices must not: takes the address for this process.
     *
     * @return a descriptor to close in the end, or a negated errno: EADDRINUSE where another process has it
     */
    static int claim(final InetAddress address) {
        final int socket = LibC.socket(LibC.AF_UNIX, LibC.SOCK_DGRAM | LibC.SOCK_CLOEXEC, 0);
        if (socket < 0) {
            return socket;
        }
        try (Arena arena = Arena.ofConfined()) {
            // A name that begins with a zero byte is in no file system, and gone with the socket.
            final byte[] name = ("\0vhca-soft-" + address.getHostAddress()).getBytes(StandardCharsets.US_ASCII);
            final MemorySegment sockaddr = arena.allocate(Short.BYTES + name.length, 8);
            sockaddr.set(ValueLayout.JAVA_SHORT, SocketLayout.SA_FAMILY, (short) LibC.AF_UNIX);
            MemorySegment.copy(name, 0, sockaddr, ValueLayout.JAVA_BYTE, Short.BYTES, name.length);
            final int bound = LibC.bind(socket, sockaddr.address(), (int) sockaddr.byteSize());
            if (bound < 0) {
                Posix.close(socket);
                return bound;
            }
            return socket;
        } catch (final RuntimeException | Error e) {
            Posix.close(socket);
            throw e;
        }
    }

    /** Writes the header of a packet of {@code lengthBytes}, without a checksum: the ICRC covers more. */
    static void putHeader(final long at, final int lengthBytes) {
        putBigEndian(at, SOURCE_PORT);
        putBigEndian(at + DESTINATION, Wire.UDP_PORT);
        putBigEndian(at + LENGTH, HEADER_BYTES + lengthBytes);
        NativeMemory.putShort(at + CHECKSUM, (short) 0);
    }

    /** Where the UDP header of a received packet begins, or -1 where it is none, or cut off. */
    static int header(final long packet, final int lengthBytes) {
        if (lengthBytes < 20) {
            return NO_HEADER;
        }
        final int begins = (NativeMemory.getByte(packet) & 0xf) * Integer.BYTES;
        final boolean isWhole = lengthBytes >= begins + HEADER_BYTES
                && bigEndian(packet + begins + LENGTH) == lengthBytes - begins
                && bigEndian(packet + begins + DESTINATION) == Wire.UDP_PORT;
        return isWhole ? begins : NO_HEADER;
    }

    /** The traffic class in the IP header of a received packet. */
    static int trafficClass(final long packet) {
        return NativeMemory.getByte(packet + TRAFFIC_CLASS) & 0xff;
    }

    /** The source port in a UDP header. */
    static int sourcePort(final long header) {
        return bigEndian(header);
    }

    private static int bigEndian(final long at) {
        return Short.reverseBytes(NativeMemory.getShort(at)) & 0xffff;
    }

    private static void putBigEndian(final long at, final int value) {
        NativeMemory.putShort(at, Short.reverseBytes((short) value));
    }
}
