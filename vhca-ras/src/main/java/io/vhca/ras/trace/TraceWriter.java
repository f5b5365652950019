package io.vhca.ras.trace;

import static io.vhca.ras.trace.TraceFileDescriptor.CLOCK_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.EVENT_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.OBJECT_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.RECORDS;
import static io.vhca.ras.trace.TraceFileDescriptor.RECORD_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.RECORD_THREAD_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.RINGS;
import static io.vhca.ras.trace.TraceFileDescriptor.RING_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.RING_HEADER_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.SEQUENCE_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.TAIL_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.THREAD_NAME_BYTES;
import static io.vhca.ras.trace.TraceFileDescriptor.THREAD_NAME_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.THREAD_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.TIME_OFFSET;
import static io.vhca.ras.trace.TraceFileDescriptor.WORDS_OFFSET;

import io.vhca.api.NativeMemory;
import io.vhca.api.ProcessLife;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceSink;
import io.vhca.ras.file.WholeTransfer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.channels.FileChannel;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes records into a trace file; layout in {@link TraceFileDescriptor}. Any thread, without lock or allocation:
 * a thread claims a record of its ring by one addition. The file stays mapped while anybody has the writer, so nobody
 * writes into memory that is gone.
 *
 * <p>Looking at the clock costs as much as all the rest. On the data path a thread looks at every eighth record and
 * whenever it polled for nothing; the records between carry the time of the one before, and say so.
 */
final class TraceWriter implements TraceSink {
    private static final int CLOCK_EVERY = 8;

    private final MemorySegment mapped;
    private final long address;
    private final UnsafeBuffer buffer;
    private final NanoClock clock;

    private TraceWriter(final MemorySegment mapped, final NanoClock clock) {
        this.mapped = mapped;
        this.clock = clock;
        address = mapped.address();
        buffer = new UnsafeBuffer(address, TraceFileDescriptor.FILE_BYTES);
    }

    /**
     * Makes a trace file of one that is empty; the channel is closed.
     *
     * @throws IOException where the file system has no room for all of it
     */
    static TraceWriter create(
            final FileChannel empty, final String bond, final EpochClock epoch, final NanoClock clock)
            throws IOException {
        try (empty) {
            WholeTransfer.writeZeros(empty, TraceFileDescriptor.FILE_BYTES);
            final TraceWriter writer = new TraceWriter(
                    empty.map(FileChannel.MapMode.READ_WRITE, 0, TraceFileDescriptor.FILE_BYTES, Arena.ofAuto()),
                    clock);
            writer.writeHeader(bond, epoch);
            return writer;
        }
    }

    private void writeHeader(final String bond, final EpochClock epoch) {
        buffer.putInt(TraceFileDescriptor.VERSION_OFFSET, TraceFileDescriptor.VERSION);
        final long pid = ProcessHandle.current().pid();
        buffer.putLong(TraceFileDescriptor.PID_OFFSET, pid);
        buffer.putLong(TraceFileDescriptor.PROCESS_START_OFFSET, ProcessLife.start(pid));
        buffer.putLong(TraceFileDescriptor.EPOCH_MS_OFFSET, epoch.time());
        buffer.putLong(TraceFileDescriptor.NANO_TIME_OFFSET, clock.nanoTime());
        buffer.putLong(TraceFileDescriptor.BOOT_OFFSET, Boot.id());
        putText(TraceFileDescriptor.NAME_OFFSET, TraceFileDescriptor.NAME_BYTES, bond);
        buffer.putLongRelease(TraceFileDescriptor.MAGIC_OFFSET, TraceFileDescriptor.MAGIC);
    }

    @Override
    public void record(
            final int event, final long object, final long word0, final long word1, final long word2,
            final long word3) {
        final int thread = (int) Thread.currentThread().threadId();
        final int ring = ringOf(thread);
        final long claimed = NativeMemory.getAndAddLong(address + ring + TAIL_OFFSET, 1);
        final int offset = ring + RING_HEADER_BYTES + ((int) claimed & RECORDS - 1) * RECORD_BYTES;
        assert offset >= 0 && offset + RECORD_BYTES <= TraceFileDescriptor.FILE_BYTES : "record at " + offset;
        final long at = address + offset;
        NativeMemory.putLong(at + SEQUENCE_OFFSET, 0);
        VarHandle.storeStoreFence();
        NativeMemory.putLong(at + TIME_OFFSET, time(ring, claimed, event));
        NativeMemory.putInt(at + RECORD_THREAD_OFFSET, thread);
        NativeMemory.putInt(at + EVENT_OFFSET, event);
        NativeMemory.putLong(at + OBJECT_OFFSET, object);
        NativeMemory.putLong(at + WORDS_OFFSET, word0);
        NativeMemory.putLong(at + WORDS_OFFSET + Long.BYTES, word1);
        NativeMemory.putLong(at + WORDS_OFFSET + 2 * Long.BYTES, word2);
        NativeMemory.putLong(at + WORDS_OFFSET + 3 * Long.BYTES, word3);
        VarHandle.storeStoreFence();
        NativeMemory.putLong(at + SEQUENCE_OFFSET, claimed + 1);
        Reference.reachabilityFence(mapped);
    }

    private static int ringOf(final int thread) {
        return TraceFileDescriptor.HEADER_BYTES + (thread & RINGS - 1) * RING_BYTES;
    }

    /** The time now, or, negated, when the ring's thread looked last. */
    private long time(final int ring, final long claimed, final int event) {
        if ((claimed & CLOCK_EVERY - 1) != 0 && TraceEventDescriptor.isOfDataPath(event)) {
            return -NativeMemory.getLong(address + ring + CLOCK_OFFSET);
        }
        if (claimed == 0) {
            buffer.putLong(ring + THREAD_OFFSET, Thread.currentThread().threadId());
            putText(ring + THREAD_NAME_OFFSET, THREAD_NAME_BYTES, Thread.currentThread().getName());
        }
        return look(ring);
    }

    private long look(final int ring) {
        final long nowNs = clock.nanoTime();
        NativeMemory.putLong(address + ring + CLOCK_OFFSET, nowNs);
        return nowNs;
    }

    @Override
    public void idle() {
        look(ringOf((int) Thread.currentThread().threadId()));
        Reference.reachabilityFence(mapped);
    }

    /** ASCII behind one byte of length, cut to what its place holds. */
    private void putText(final int offset, final int placeBytes, final String text) {
        final int length = Math.min(text.length(), placeBytes - 1);
        for (int i = 0; i < length; i++) {
            final char c = text.charAt(i);
            buffer.putByte(offset + 1 + i, (byte) (c < 0x80 ? c : '?'));
        }
        buffer.putByte(offset, (byte) length);
    }
}
