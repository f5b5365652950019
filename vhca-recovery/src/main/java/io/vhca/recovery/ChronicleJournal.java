package io.vhca.recovery;

import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A journal in a Chronicle Queue, readable by other processes and after a crash ({@link JournalReader}).
 *
 * <p>Any thread appends: the event goes into a ring and the call returns; where the ring is full the event is dropped
 * and counted. One agent, on its own thread or driven by hand, moves events from the ring to the queue; only that agent
 * touches Chronicle.
 */
public final class ChronicleJournal implements Journal, Agent, AutoCloseable {
    /** Default size of the ring. */
    public static final int DEFAULT_RING_BYTES = 1 << 20;

    private static final int EVENT_TYPE = 1;
    private static final int BATCH = 64;
    private static final long BLOCK_BYTES = 4L << 20;
    private static final long IDLE_MIN_NS = 10_000;
    private static final long IDLE_MAX_NS = 5_000_000;

    private final Path directory;
    private final ManyToOneRingBuffer ring;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong writeErrors = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final byte[] scratch = new byte[JournalEventDescriptor.MAX_SIZE];
    private @Nullable ChronicleQueue queue;
    private @Nullable ExcerptAppender appender;
    private @Nullable AgentRunner runner;

    /**
     * A journal that the caller drives: {@link #onStart}, {@link #doWork}, {@link #onClose}, all in one thread.
     *
     * @param ringBytes size of the ring, a power of two
     */
    public ChronicleJournal(final Path directory, final int ringBytes) {
        this.directory = directory;
        ring = new ManyToOneRingBuffer(new UnsafeBuffer(
                BufferUtil.allocateDirectAligned(ringBytes + RingBufferDescriptor.TRAILER_LENGTH, Long.BYTES)));
    }

    /** A journal with a thread of its own; {@link #close} ends it after the last event was written. */
    public static ChronicleJournal open(final Path directory) {
        final ChronicleJournal journal = new ChronicleJournal(directory, DEFAULT_RING_BYTES);
        final AgentRunner runner = new AgentRunner(new BackoffIdleStrategy(10, 10, IDLE_MIN_NS, IDLE_MAX_NS),
                error -> journal.writeErrors.incrementAndGet(), null, journal);
        journal.runner = runner;
        AgentRunner.startOnThread(runner);
        return journal;
    }

    @Override
    public void append(final JournalEvent event) {
        final byte[] bond = JournalEventDescriptor.bondBytes(event);
        final byte[] note = JournalEventDescriptor.noteBytes(event);
        final int index = ring.tryClaim(EVENT_TYPE, JournalEventDescriptor.HEADER_SIZE + bond.length + note.length);
        if (index < 0) {
            dropped.incrementAndGet();
            return;
        }
        JournalEventDescriptor.encode(ring.buffer(), index, event, bond, note);
        ring.commit(index);
    }

    /** Events that found the ring full. */
    public long dropped() {
        return dropped.get();
    }

    /** Events that the queue would not take (disk full, say). */
    public long writeErrors() {
        return writeErrors.get();
    }

    /** Events in the queue. */
    public long written() {
        return written.get();
    }

    @Override
    public void onStart() {
        final ChronicleQueue opened = SingleChronicleQueueBuilder.binary(directory).rollCycle(RollCycles.FAST_DAILY)
                .blockSize(BLOCK_BYTES).build();
        queue = opened;
        appender = opened.createAppender();
    }

    @Override
    public int doWork() {
        return ring.read(this::write, BATCH);
    }

    private void write(final int type, final MutableDirectBuffer buffer, final int index, final int length) {
        final ExcerptAppender target = appender;
        if (target == null) {
            writeErrors.incrementAndGet();
            return;
        }
        copy(buffer, index, length);
        try (DocumentContext document = target.writingDocument()) {
            Objects.requireNonNull(document.wire()).bytes().write(scratch, 0, length);
            written.incrementAndGet();
        } catch (final RuntimeException e) {
            writeErrors.incrementAndGet();
        }
    }

    private void copy(final DirectBuffer buffer, final int index, final int length) {
        buffer.getBytes(index, scratch, 0, length);
    }

    @Override
    public void onClose() {
        boolean more = true;
        // a read ends at the ring's wrap, possibly with nothing: only two empty ones in a row mean the end
        while (more) {
            more = doWork() + doWork() > 0;
        }
        final ChronicleQueue opened = queue;
        if (appender != null) {
            appender.close();
            appender = null;
        }
        if (opened != null) {
            opened.close();
            queue = null;
        }
    }

    @Override
    public String roleName() {
        return "vhca-journal";
    }

    /** Writes what is left and ends the thread of {@link #open}; without one, the same as {@link #onClose}. */
    @Override
    public void close() {
        final AgentRunner own = runner;
        if (own != null) {
            own.close();
        } else {
            onClose();
        }
    }
}
