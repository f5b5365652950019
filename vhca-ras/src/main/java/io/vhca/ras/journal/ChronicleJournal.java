package io.vhca.ras.journal;

import io.vhca.api.FailureText;
import io.vhca.api.JvmFlag;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import java.io.File;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.openhft.chronicle.core.OS;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.ControlledMessageHandler.Action;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A journal in a Chronicle Queue, readable by other processes and after a crash ({@link JournalReader}).
 *
 * <p>Any thread appends: the event goes into a ring and the call returns. One agent, on its own thread or driven by
 * hand, moves events from the ring to the queue; only that agent writes to Chronicle.
 *
 * <p>Its files are for their owner alone; a directory that another user may write to is refused
 * ({@link PrivateDirectory}).
 *
 * <p>A journal that cannot be written, for its path, a full disk or a missing flag of the JVM, says so when it is
 * opened or when it happens: one line in the log, one word to {@link JournalLosses}. Events stay in the ring meanwhile,
 * those that find it full are counted as lost, and the agent tries again every second.
 */
public final class ChronicleJournal implements Journal, Agent, AutoCloseable {
    static final int DEFAULT_RING_BYTES = 1 << 20;
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long REOPEN_MS = 5_000;

    private static final Logger LOGGER = System.getLogger(ChronicleJournal.class.getName());
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final int NO_CYCLE = -1;
    private static final int EVENT_TYPE = 1;
    private static final int BATCH = 64;
    private static final long BLOCK_BYTES = 4L << 20;
    private static final long IDLE_MIN_NS = 10_000;
    private static final long IDLE_MAX_NS = 5_000_000;
    private static final MessageHandler DISCARD = (type, buffer, index, length) -> {};

    /**
     * Less than this on the file system, and nothing is written. Chronicle writes to mapped memory: a page without room
     * behind it is a fault and no error code, so the room is looked at before.
     */
    static final long MIN_ROOM_BYTES = 2 * BLOCK_BYTES;

    private final String bond;
    private final Path directory;
    private final JournalLosses losses;
    private final NanoClock clock;
    private final Room room;
    /** How long {@link #reopen} waits for the agent. */
    private final long patienceMs;

    private final ManyToOneRingBuffer ring;
    private final ControlledMessageHandler writer = this::write;
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final byte[] scratch = new byte[JournalEventDescriptor.MAX_SIZE];
    private @Nullable ChronicleQueue queue;
    private @Nullable ExcerptAppender appender;
    private @Nullable AgentRunner runner;
    private int keptCycle = NO_CYCLE;
    /** Written by the agent. */
    private volatile boolean failing;
    /** What {@link #fail} found last. */
    private String failure = "";

    /** Who waits for {@link #reopen}. */
    private final AtomicReference<@Nullable CompletableFuture<String>> asked = new AtomicReference<>();

    /** Nobody answers any more. */
    private volatile boolean isClosed;

    private long retryNs;

    /** Whether it says what its times are by the calendar, and when next. */
    private boolean isDated;

    private long dateNs;

    /** How much room a file system has. */
    interface Room {
        long usableBytes(Path directory) throws IOException;
    }

    /**
     * A journal that the caller drives: {@link #prepare}, {@link #doWork}, {@link #onClose}.
     *
     * @param bond       its name, for the log
     * @param ringBytes  size of the ring, a power of two
     * @param patienceMs how long who asks for {@link #reopen} waits for the caller's next turn
     */
    ChronicleJournal(
            final String bond,
            final Path directory,
            final int ringBytes,
            final JournalLosses losses,
            final NanoClock clock,
            final Room room,
            final long patienceMs) {
        this.bond = bond;
        this.directory = directory;
        this.losses = losses;
        this.clock = clock;
        this.room = room;
        this.patienceMs = patienceMs;
        ring = new ManyToOneRingBuffer(new UnsafeBuffer(
                BufferUtil.allocateDirectAligned(ringBytes + RingBufferDescriptor.TRAILER_LENGTH, Long.BYTES)));
    }

    /**
     * A journal with a thread of its own; {@link #close} ends it after the last event was written. Whether it can be
     * written is known, and said, when this returns.
     */
    static ChronicleJournal open(final String bond, final Path directory, final JournalLosses losses) {
        final ChronicleJournal journal = new ChronicleJournal(
                bond,
                directory,
                DEFAULT_RING_BYTES,
                losses,
                SystemNanoClock.INSTANCE,
                path -> Files.getFileStore(path).getUsableSpace(),
                REOPEN_MS);
        journal.dated();
        journal.prepare();
        try {
            final AgentRunner runner = new AgentRunner(
                    new BackoffIdleStrategy(10, 10, IDLE_MIN_NS, IDLE_MAX_NS), losses::onTrouble, null, journal);
            AgentRunner.startOnThread(runner);
            journal.runner = runner;
            return journal;
        } catch (final Throwable e) {
            // There may be no room for one more thread.
            journal.onClose();
            throw e;
        }
    }

    @Override
    public void append(final JournalEvent event) {
        final byte[] name = JournalEventDescriptor.bondBytes(event);
        final byte[] note = JournalEventDescriptor.noteBytes(event);
        final int index = ring.tryClaim(EVENT_TYPE, JournalEventDescriptor.HEADER_SIZE + name.length + note.length);
        if (index < 0) {
            lose(1);
            return;
        }
        JournalEventDescriptor.encode(ring.buffer(), index, event, name, note);
        ring.commit(index);
    }

    /** Asks the agent, and waits for its answer; those who ask at the same time have the same one. */
    @Override
    public String reopen() {
        final CompletableFuture<String> mine = new CompletableFuture<>();
        final CompletableFuture<String> answer =
                asked.updateAndGet(others -> others == null ? mine : others);
        if (isClosed) {
            answer.complete(closed());
        }
        try {
            return answer.get(patienceMs, TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "it was not waited for";
        } catch (final TimeoutException | ExecutionException e) {
            return "journal " + directory + " was not opened within " + patienceMs
                    + " ms: the thread vhca-journal is busy";
        }
    }

    private String closed() {
        return "journal " + directory + " is closed";
    }

    private void answer(final CompletableFuture<String> to) {
        retryNs = clock.nanoTime();
        to.complete(prepare() ? "" : failure);
    }

    @Override
    public boolean isFailing() {
        return failing;
    }

    /** Events that found the ring full, or were in it when a journal that could not be written was closed. */
    long lost() {
        return lost.get();
    }

    /** Events in the queue. */
    long written() {
        return written.get();
    }

    private void lose(final long events) {
        lost.addAndGet(events);
        losses.onLost(events);
    }

    /** Opens the queue where that is due; true when it can be written. */
    boolean prepare() {
        if (failing && clock.nanoTime() - retryNs < 0) {
            return false;
        }
        try {
            // Two modules, where they are on the module path: the one maps files by the other.
            final List<String> flags = JvmFlag.missing(
                    JvmFlag.Need.JOURNAL, ChronicleQueue.class.getModule(), OS.class.getModule());
            if (!flags.isEmpty()) {
                throw new IOException("Chronicle Queue needs a JVM with " + String.join(" and ", flags));
            }
            if (queue == null) {
                PrivateDirectory.create(directory, DIRECTORY_MODE).close();
            }
            if (!Files.isWritable(directory)) {
                throw new AccessDeniedException(directory.toString());
            }
            final long bytes = room.usableBytes(directory);
            if (bytes < MIN_ROOM_BYTES) {
                throw new IOException("its file system has " + (bytes >> 20) + " MB left, and "
                        + (MIN_ROOM_BYTES >> 20) + " MB are needed");
            }
            if (queue == null) {
                queue = SingleChronicleQueueBuilder.binary(directory)
                        .rollCycle(RollCycles.FAST_DAILY)
                        .blockSize(BLOCK_BYTES)
                        .build();
            }
            return true;
        } catch (final Throwable e) {
            // Throwable: where the JVM denies it something, Chronicle ends in errors of several kinds.
            fail(e);
            return false;
        }
    }

    /** It cannot be written: everything is closed, and opened again when it is time to. */
    private void fail(final Throwable reason) {
        retryNs = clock.nanoTime() + RETRY_NS;
        closeQueue();
        failure = "journal " + directory + " of " + bond + " cannot be written: " + why(reason);
        if (!failing) {
            failing = true;
            final IOException trouble = new IOException(failure, reason);
            LOGGER.log(
                    Logger.Level.WARNING,
                    trouble.getMessage() + "; up to " + (ring.capacity() >> 10)
                            + " KB of events are kept until it can, later ones are lost");
            losses.onTrouble(trouble);
        }
    }

    private static String why(final Throwable reason) {
        return switch (reason) {
            case FileAlreadyExistsException e -> "it is a file, and must be a directory";
            case AccessDeniedException e -> "this user may not write " + e.getFile();
            case InternalError e -> "its file system has filled up (" + e.getMessage() + ")";
            case NoClassDefFoundError e when e.getMessage() != null && e.getMessage().indexOf(' ') < 0 ->
                "class " + e.getMessage().replace('/', '.') + " is missing";
            default -> FailureText.of(reason);
        };
    }

    @Override
    public int doWork() {
        final CompletableFuture<String> waiting = asked.getAndSet(null);
        if (waiting != null) {
            answer(waiting);
        }
        // Of one that fails it is found out whether it still does, without an event to write too.
        final boolean isEmpty = ring.consumerPosition() == ring.producerPosition();
        final boolean isDateDue = isDated && clock.nanoTime() - dateNs >= 0;
        if (isEmpty && !failing && !isDateDue || !prepare() || isDateDue && !date()) {
            return 0;
        }
        final int count = ring.controlledRead(writer, BATCH);
        // Without a queue: events before the one that failed were written, and it fails again.
        if ((isEmpty || count > 0) && failing && queue != null) {
            failing = false;
            LOGGER.log(
                    Logger.Level.INFO,
                    "journal " + directory + " of " + bond + " is written again; " + lost + " events were lost");
        }
        return count;
    }

    /** It says from now on what a moment is by the calendar, before anything else and every hour. */
    void dated() {
        isDated = true;
        dateNs = clock.nanoTime();
    }

    /**
     * Says what this moment is by the calendar, in front of what waits, which is dated by it: what stood there before
     * may be of another process. False where it cannot be written.
     */
    private boolean date() {
        final long nowNs = clock.nanoTime();
        final JournalEvent event = JournalCalendar.event(bond, nowNs, Instant.now());
        final byte[] name = JournalEventDescriptor.bondBytes(event);
        final byte[] note = JournalEventDescriptor.noteBytes(event);
        final UnsafeBuffer buffer =
                new UnsafeBuffer(new byte[JournalEventDescriptor.HEADER_SIZE + name.length + note.length]);
        JournalEventDescriptor.encode(buffer, 0, event, name, note);
        if (write(EVENT_TYPE, buffer, 0, buffer.capacity()) == Action.ABORT) {
            return false;
        }
        dateNs = nowNs + JournalCalendar.EVERY_NS;
        return true;
    }

    /** Writes one event; where that fails it stays in the ring. */
    private Action write(final int type, final MutableDirectBuffer buffer, final int index, final int length) {
        final ChronicleQueue opened = Objects.requireNonNull(queue, "prepared");
        buffer.getBytes(index, scratch, 0, length);
        try {
            if (appender == null) {
                appender = opened.createAppender();
            }
            try (DocumentContext document = appender.writingDocument()) {
                Objects.requireNonNull(document.wire()).bytes().write(scratch, 0, length);
            }
        } catch (final Throwable e) {
            // Throwable: a fault in mapped memory is an InternalError; the disk has filled up since it was looked at.
            fail(e);
            return Action.ABORT;
        }
        written.incrementAndGet();
        keepToOwner(Objects.requireNonNull(appender, "written"));
        return Action.CONTINUE;
    }

    /**
     * Chronicle makes files as the process's umask says: one a day, and one beside them. The event is in the file by
     * now: one whose mode cannot be changed, as another user's of this day, is said, and is not written again for it.
     */
    private void keepToOwner(final ExcerptAppender appended) {
        if (appended.cycle() == keptCycle) {
            return;
        }
        keptCycle = appended.cycle();
        final File file = appended.currentFile();
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            for (final Path name : opened.names()) {
                if (name.toString().startsWith(ChronicleFileDescriptor.TABLE)
                        || file != null && name.toString().equals(file.getName())) {
                    keepToOwner(opened, name);
                }
            }
        } catch (final IOException e) {
            sayNotKept(e);
        }
    }

    private void keepToOwner(final PrivateDirectory opened, final Path name) {
        try {
            opened.permit(name, FILE_MODE);
        } catch (final IOException e) {
            sayNotKept(e);
        }
    }

    private void sayNotKept(final IOException reason) {
        LOGGER.log(
                Logger.Level.WARNING,
                "journal " + directory + " of " + bond + " is written, and others may be able to read it: " + reason);
    }

    private void closeQueue() {
        try {
            if (appender != null) {
                appender.close();
            }
            if (queue != null) {
                queue.close();
            }
        } catch (final Throwable e) {
            // What is still mapped may be what could not be written.
            LOGGER.log(Logger.Level.DEBUG, "journal " + directory + " was not closed: " + e);
        } finally {
            appender = null;
            queue = null;
            keptCycle = NO_CYCLE;
        }
    }

    @Override
    public void onClose() {
        // The last attempt does not wait for its time.
        retryNs = clock.nanoTime();
        boolean more = true;
        // A read ends at the ring's wrap, possibly with nothing: only two empty ones in a row mean the end.
        while (more) {
            more = doWork() + doWork() > 0;
        }
        closeQueue();
        long left = 0;
        int count;
        do {
            count = ring.read(DISCARD) + ring.read(DISCARD);
            left += count;
        } while (count > 0);
        if (left > 0) {
            lose(left);
        }
        isClosed = true;
        final CompletableFuture<String> waiting = asked.getAndSet(null);
        if (waiting != null) {
            waiting.complete(closed());
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
