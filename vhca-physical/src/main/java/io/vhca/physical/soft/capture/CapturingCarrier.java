package io.vhca.physical.soft.capture;

import static io.vhca.physical.soft.capture.CaptureDescriptor.SENT;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.agrona.concurrent.EpochNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * A carrier that keeps a copy of the last packets that pass it in a file of its own, {@code NAME.PID.capture}, layout
 * in {@link CaptureDescriptor}. The file is mapped: what was written is there when the process is not. Threads as the
 * other carrier's; nothing allocates after a route is taken.
 */
public final class CapturingCarrier extends ForwardingCarrier {
    private static final int FIRST_ROUTES = 64;

    private final EpochNanoClock clock;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment mapped;
    private final long address;
    private final PacketHandler captured = this::onPacket;
    /** By the token of a route. */
    private @Nullable Destination[] routes = new Destination[FIRST_ROUTES];

    private long packets;
    private @Nullable PacketHandler handler;
    private boolean closed;

    /**
     * Makes the file, in place of one that this process has made before for a device of that name; one that an earlier
     * process left, whose number this one has, stays under another name.
     *
     * @param carrier   closed with this one, and here where the file cannot be made
     * @param name      the device's
     * @param directory is made where it is not there, for this user alone
     * @throws VerbsException EIO where the file cannot be made, or has no room
     */
    public CapturingCarrier(
            final Carrier carrier, final String name, final Path directory, final EpochNanoClock clock) {
        super(carrier);
        this.clock = clock;
        final Path file = CaptureFiles.of(directory, name);
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            CaptureFiles.makeRoom(directory, name);
            try (FileChannel channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                mapped = map(channel, file, arena);
            }
        } catch (final IOException | UnsupportedOperationException e) {
            arena.close();
            carrier.close();
            throw new VerbsException(
                    "openDevice", Errno.EIO, name, "its packets cannot be captured in " + file + " (" + e
                            + "); name another directory by capture, or leave it out", e);
        }
        address = mapped.address();
        writeHeader(name);
    }

    /**
     * Maps all of a file that is empty. It is written with zeros before that, so that it has all its blocks: where the
     * file system had none left for a page, the thread that keeps a packet there would get an {@link InternalError}.
     *
     * @param file deleted where there is no room for it, or it cannot be mapped
     */
    static MemorySegment map(final FileChannel empty, final Path file, final Arena arena) throws IOException {
        boolean isWhole = false;
        try {
            final ByteBuffer zeros = ByteBuffer.allocate(CaptureDescriptor.HEADER_BYTES);
            for (int left = CaptureDescriptor.FILE_BYTES; left > 0; ) {
                left -= empty.write(zeros.clear().limit(Math.min(left, zeros.capacity())));
            }
            final MemorySegment mapped =
                    empty.map(FileChannel.MapMode.READ_WRITE, 0, CaptureDescriptor.FILE_BYTES, arena);
            isWhole = true;
            return mapped;
        } finally {
            if (!isWhole) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void writeHeader(final String name) {
        NativeMemory.putInt(address + CaptureDescriptor.VERSION_OFFSET, CaptureDescriptor.VERSION);
        NativeMemory.putLong(
                address + CaptureDescriptor.PID_OFFSET, ProcessHandle.current().pid());
        NativeMemory.putLong(address + CaptureDescriptor.ADDRESS_HIGH_OFFSET, address().subnetPrefix());
        NativeMemory.putLong(address + CaptureDescriptor.ADDRESS_LOW_OFFSET, address().interfaceId());
        final int length = Math.min(name.length(), CaptureDescriptor.NAME_BYTES - 1);
        for (int i = 0; i < length; i++) {
            NativeMemory.putByte(address + CaptureDescriptor.NAME_OFFSET + 1 + i, (byte) name.charAt(i));
        }
        NativeMemory.putByte(address + CaptureDescriptor.NAME_OFFSET, (byte) length);
        VarHandle.storeStoreFence();
        NativeMemory.putLong(address + CaptureDescriptor.MAGIC_OFFSET, CaptureDescriptor.MAGIC);
    }

    @Override
    public int route(final Destination destination) {
        final int token = super.route(destination);
        if (token >= 0) {
            if (token >= routes.length) {
                routes = Arrays.copyOf(routes, Math.max(2 * routes.length, token + 1));
            }
            routes[token] = destination;
        }
        return token;
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        if (closed) {
            return super.send(route, packetAddress, lengthBytes);
        }
        final Destination to = Objects.requireNonNull(routes[route], "a packet without a route");
        // Before it is sent: where it lies is the carrier's again afterwards.
        final long slot = write(
                SENT, to.gid().subnetPrefix(), to.gid().interfaceId(), sourcePort(), to.trafficClass(), packetAddress,
                lengthBytes);
        NativeMemory.putInt(slot + CaptureDescriptor.HOPS_OFFSET, to.hopLimit());
        final boolean isSent = super.send(route, packetAddress, lengthBytes);
        if (isSent) {
            publish(slot);
        }
        return isSent;
    }

    @Override
    public int receive(final PacketHandler to, final int limit) {
        handler = to;
        return super.receive(captured, limit);
    }

    private void onPacket(
            final long sourceHigh, final long sourceLow, final int sourcePort, final int trafficClass,
            final long packetAddress, final int lengthBytes) {
        publish(write(0, sourceHigh, sourceLow, sourcePort, trafficClass, packetAddress, lengthBytes));
        final PacketHandler to = Objects.requireNonNull(handler, "a packet came while nobody receives");
        to.onPacket(sourceHigh, sourceLow, sourcePort, trafficClass, packetAddress, lengthBytes);
    }

    private long write(
            final int flags, final long peerHigh, final long peerLow, final int port, final int trafficClass,
            final long packetAddress, final int lengthBytes) {
        assert !closed : "a packet after the last one";
        final long slot = address + CaptureDescriptor.slot(packets);
        NativeMemory.putLong(slot + CaptureDescriptor.SEQUENCE_OFFSET, 0);
        VarHandle.storeStoreFence();
        NativeMemory.putLong(slot + CaptureDescriptor.TIME_OFFSET, clock.nanoTime());
        NativeMemory.putInt(slot + CaptureDescriptor.LENGTH_OFFSET, lengthBytes);
        NativeMemory.putInt(slot + CaptureDescriptor.FLAGS_OFFSET, flags);
        NativeMemory.putInt(slot + CaptureDescriptor.PORT_OFFSET, port);
        NativeMemory.putInt(slot + CaptureDescriptor.CLASS_OFFSET, trafficClass);
        NativeMemory.putLong(slot + CaptureDescriptor.PEER_HIGH_OFFSET, peerHigh);
        NativeMemory.putLong(slot + CaptureDescriptor.PEER_LOW_OFFSET, peerLow);
        NativeMemory.putInt(slot + CaptureDescriptor.HOPS_OFFSET, 0);
        NativeMemory.copy(
                packetAddress, slot + CaptureDescriptor.PACKET_OFFSET,
                Math.min(lengthBytes, CaptureDescriptor.PACKET_BYTES));
        return slot;
    }

    private void publish(final long slot) {
        VarHandle.storeStoreFence();
        NativeMemory.putLong(slot + CaptureDescriptor.SEQUENCE_OFFSET, ++packets);
    }

    /** The file stays: its reader comes later. */
    @Override
    public void close() {
        super.close();
        if (!closed) {
            closed = true;
            arena.close();
        }
    }
}
