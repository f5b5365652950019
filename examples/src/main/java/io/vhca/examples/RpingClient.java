package io.vhca.examples;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** The client of an rping: offers its text for reading, then an empty buffer for writing, and compares. One thread. */
final class RpingClient implements AutoCloseable {
    private static final int FIRST_PRINTABLE = 'A';
    private static final int PRINTABLES = 'z' - 'A' + 1;

    private final RdmaConnection connection;
    private final int sizeBytes;
    private final Arena arena = Arena.ofShared();
    /** What closes what was made, the last first. */
    private final Deque<Runnable> made = new ArrayDeque<>();

    private final MemoryRegion source;
    private final MemoryRegion sink;

    RpingClient(final RdmaConnection connection, final int sizeBytes) {
        this.connection = connection;
        this.sizeBytes = sizeBytes;
        made.push(arena::close);
        boolean done = false;
        try {
            source = region(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
            sink = region(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private MemoryRegion region(final int access) {
        final MemoryRegion region = connection.pd().regMr(arena.allocate(sizeBytes, 64), access);
        made.push(region::close);
        return region;
    }

    /**
     * One ping.
     *
     * @return the text that came back
     * @throws VerbsException EIO when it is another than the one that went out
     */
    String ping(final int number) {
        final byte[] head = ("rdma-ping-" + number + ": ").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < sizeBytes; i++) {
            final int filler = FIRST_PRINTABLE + (number + i) % PRINTABLES;
            NativeMemory.putByte(source.addr() + i, i < head.length ? head[i] : (byte) filler);
            NativeMemory.putByte(sink.addr() + i, (byte) 0);
        }
        // The server may take it for a text of C, and write back only that.
        NativeMemory.putByte(source.addr() + sizeBytes - 1, (byte) 0);
        ask(source);
        ask(sink);
        final MemorySegment sent = NativeMemory.segment(source.addr(), sizeBytes);
        final MemorySegment back = NativeMemory.segment(sink.addr(), sizeBytes);
        if (sent.mismatch(back) >= 0) {
            throw new VerbsException(
                    "rping", Errno.EIO, "ping " + number, "it came back different at byte " + sent.mismatch(back));
        }
        return new String(back.toArray(ValueLayout.JAVA_BYTE), 0, sizeBytes - 1, StandardCharsets.US_ASCII);
    }

    private void ask(final MemoryRegion memory) {
        connection.send(new RpingMessage(memory.addr(), memory.rkey(), sizeBytes).encode());
        RpingMessage.decode(connection.receive());
    }

    @Override
    public void close() {
        made.forEach(Runnable::run);
    }
}
