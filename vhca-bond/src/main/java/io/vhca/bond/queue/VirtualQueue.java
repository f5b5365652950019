package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.CursorSink;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A virtual queue: a ring of requests that outlives the physical queues which execute them. It has a gate, cursors, and
 * the physical queue pair in use.
 *
 * <pre>
 *   retired            posted              producer
 *     |  at the hardware  |  not given to it  |
 *     v                   v                   v
 *   --+-------------------+-------------------+-----  sequences, 64 bits, monotonic
 * </pre>
 *
 * <p>Threads: everything but {@code retired} and {@code backlog} is read and written inside this gate; {@code retired}
 * is written inside the gate of the CQ that the queue completes to, and read here with acquire. Whoever changes the
 * physical queue pair has the control lock as well.
 *
 * <p>Each kind of queue has a {@code post} of its own: one for all of them would not know which kind it enqueues to,
 * and call where it is to be inlined.
 */
public abstract class VirtualQueue extends TracedGate {
    private static final VarHandle RETIRED;
    private static final VarHandle POSTED;

    static {
        try {
            RETIRED = MethodHandles.lookup().findVarHandle(VirtualQueue.class, "retired", long.class);
            POSTED = MethodHandles.lookup().findVarHandle(VirtualQueue.class, "posted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Of a queue's requests that are not done, the oldest. */
    private static final int MOST_INSPECTED = 256;

    private final QueueOwner owner;
    protected final LocalKeys localKeys;
    protected final int capacity;

    protected long producer;
    protected long posted;
    /** Whether posts are taken at once. */
    protected boolean accepting;
    /** They are taken, once the markers of the queue's memory were seen to be whole. */
    private boolean acceptingWhole;
    /** Each post comes by {@link #refused}, which looks at the markers and says why a request is not taken. */
    private boolean checksEach;
    /** Where {@link #checksEach}: the request that was taken last, and where its chain goes on. */
    private int indexInChain;
    private long nextInChain;
    /** What is posted goes to the hardware. */
    protected boolean open;
    protected @Nullable QueuePair physical;
    protected int member;
    protected long wrIdPrefix;

    @SuppressWarnings({"FieldCanBeFinal", "FieldMayBeFinal"}) // written through RETIRED
    private long retired;

    private volatile boolean backlog;

    protected VirtualQueue(final QueueOwner owner, final LocalKeys localKeys, final int capacity) {
        this.owner = owner;
        this.localKeys = localKeys;
        this.capacity = capacity;
    }

    /** The application's number of a request. */
    public abstract long wrId(long sequence);

    protected abstract boolean isOfReceives();

    @Override
    public final int tracedEvent() {
        return isOfReceives() ? TraceEventDescriptor.POSTED_RECV : TraceEventDescriptor.POSTED_SEND;
    }

    /** Gives the hardware what waits, if it may go now. Inside the gate. */
    protected abstract void pumpWaiting();

    /** Forgets what a kind of queue knows beyond its cursors, which are all at one place. Inside the gate. */
    protected abstract void onReset();

    /** Whether the cursors are in order while requests are given to the hardware. */
    protected final boolean isInOrder() {
        return isEntered() && retired() <= posted && posted <= producer;
    }

    /** Takes one request, or says why not. Inside the gate. */
    protected abstract int enqueueOne(long wr);

    // ---- posting, inside the gate -----------------------------------------------------------------------------------

    protected final boolean isFull() {
        return producer - retired() >= capacity;
    }

    /**
     * A request was not taken for the reason given. Where posts are taken only into memory that is whole, that was no
     * reason yet: it is looked at, and the request is taken.
     */
    protected final int refused(final long wr, final int error) {
        if (accepting || !checksEach) {
            return error;
        }
        // A chain goes on where the request before says; what ends one says nowhere.
        indexInChain = wr == nextInChain ? indexInChain + 1 : 0;
        nextInChain = 0;
        if (!acceptingWhole) {
            tellRefused(error, "");
            return error;
        }
        if (!owner.isWhole()) {
            owner.onOverrun();
            return -Errno.EIO;
        }
        final int taken;
        accepting = true;
        try {
            taken = enqueueOne(wr);
        } finally {
            accepting = false;
        }
        if (taken == 0) {
            nextInChain = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
        } else if (taken != -Errno.ENOMEM) {
            tellRefused(taken, refusal(wr, taken));
        }
        return taken;
    }

    private void tellRefused(final int error, final String why) {
        owner.onPostRefused(isOfReceives() ? "postRecv" : "postSend", indexInChain, error, why);
    }

    /** Which field of a request that was refused is wrong, and what to do. Inside the gate. */
    protected abstract String refusal(long wr, int error);

    /** A chain was taken, or refused with a negative errno; which of them is handed on. */
    protected final int posted(final long wrAddress, final int accepted) {
        if (isTraced()) {
            tellPosted(tracedEvent(), wrAddress, accepted, producer - 1);
        }
        return accepted;
    }

    /** Requests were taken and stay here. */
    protected final void keptBack() {
        owner.onKeptBack();
    }

    /** The hardware took nothing: its queue is full, or it is of no use any more. */
    protected final void onRefused(final int error) {
        if (error != -Errno.ENOMEM) {
            shut();
            owner.onPhysicalPostRefused(error);
        }
    }

    /** To be told whenever {@code posted} or {@code producer} has moved. */
    protected final void backlog(final boolean value) {
        if (backlog != value) {
            backlog = value;
        }
    }

    /** True when requests wait that the hardware, or what they lack, did not let through. Any thread. */
    public final boolean hasBacklog() {
        return backlog;
    }

    /** Tries again what waits; nothing happens while another thread is inside (it pumps itself). Any thread. */
    public final void pumpIfIdle() {
        if (tryEnter()) {
            try {
                pumpWaiting();
            } finally {
                leave();
            }
        }
    }

    // ---- completion, inside the CQ's gate ---------------------------------------------------------------------------

    /** The oldest request that is not completed, or is to come. Any thread. */
    public final long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    public final void retireThrough(final long sequence) {
        RETIRED.setRelease(this, sequence + 1);
    }

    /** The full sequence of a physical completion. */
    public final long sequenceOf(final long physicalWrId) {
        return PhysicalWrId.sequence(physicalWrId, retired);
    }

    /** Writes a flush completion for the oldest unfinished request and retires it; false when there is none. */
    public final boolean flushNext(final long wc, final int qpNum) {
        if (isFinished()) {
            return false;
        }
        final long sequence = retired();
        VirtualCompletion.writeFlush(wc, wrId(sequence), qpNum, isOfReceives());
        retireThrough(sequence);
        return true;
    }

    /** True when every request is completed; more may be posted. */
    public final boolean isFinished() {
        return retired() >= producerInside();
    }

    /** How many requests are not completed; more may be posted. */
    public final int unfinished() {
        return (int) Math.max(0, producerInside() - retired());
    }

    // ---- control ----------------------------------------------------------------------------------------------------

    /**
     * Says where its cursors are, and what of it is not done.
     *
     * @param recovers whether a recovery may come: what it would do with each request is said too
     */
    public final void inspect(final Inspection to, final boolean recovers) {
        enter();
        try {
            final LongFunction<String> outlook = recovers ? outlook() : sequence -> "";
            to.value("retired", retired());
            to.value("posted", posted);
            to.value("producer", producer);
            to.value("capacity", capacity);
            to.value("gate", open ? "open" : "closed");
            final long end = Math.min(producer, retired() + MOST_INSPECTED);
            for (long sequence = retired(); sequence < end; sequence++) {
                to.value("#" + sequence, (sequence < posted ? "at the hardware, " : "waits, ") + describe(sequence)
                        + outlook.apply(sequence));
            }
        } finally {
            leave();
        }
    }

    /** What a recovery would do with a request, in words behind others, by its sequence. Inside the gate. */
    protected LongFunction<String> outlook() {
        return sequence -> "";
    }

    /** Says where it stands. Inside the gate. */
    public final void cursors(final String name, final CursorSink to) {
        to.cursor(name, "retired", retired());
        to.cursor(name, "posted", posted);
        to.cursor(name, "producer", producer);
        to.cursor(name, "capacity", capacity);
        to.cursor(name, "open", open ? 1 : 0);
        to.cursor(name, "backlog", backlog ? 1 : 0);
    }

    @Override
    public final void buffers(final BufferSink to) {
        final long end = Math.min(producer, retired() + MOST_INSPECTED);
        for (long sequence = retired(); sequence < end; sequence++) {
            buffers(sequence, to);
        }
    }

    /** Shows the buffers of a request. Inside the gate. */
    protected abstract void buffers(long sequence, BufferSink to);

    /** What the application posted, in words. Inside the gate. */
    protected abstract String describe(long sequence);

    /** One behind the last request that hardware was given, as seen in passing. Any thread. */
    public final long postedAtGlance() {
        return (long) POSTED.getOpaque(this);
    }

    public final long producerInside() {
        enter();
        final long value = producer;
        leave();
        return value;
    }

    /**
     * Whether posts are taken.
     *
     * @param looks at the markers before each, and says why one is refused
     */
    public final void accepting(final boolean value, final boolean looks) {
        enter();
        accepting = value && !looks;
        acceptingWhole = value && looks;
        checksEach = looks;
        onChanged();
        leave();
    }

    /** Stops giving requests to hardware; posts only enqueue from now on. */
    public final void closeGate() {
        enter();
        shut();
        leave();
    }

    /** Inside the gate. */
    protected void shut() {
        open = false;
    }

    /** Gives nothing more to the physical queue pair in use, and forgets it. */
    public final void detach() {
        enter();
        shut();
        physical = null;
        leave();
    }

    /** Takes another physical queue pair, or none. Inside the gate, while not open. */
    protected final void take(final @Nullable QueuePair qp, final int ownMember, final long prefix) {
        assert isEntered() && !open : "another physical queue pair is in use";
        physical = qp;
        member = ownMember;
        wrIdPrefix = prefix;
    }

    /** Everything from there on is to be given to hardware again. Inside the gate, while not open. */
    protected final void rewind(final long sequence) {
        assert isEntered() && !open && retired() <= sequence && sequence <= producer : "rewind to " + sequence;
        posted = sequence;
    }

    /** Whether every request given to the hardware is back, when those before {@code flushedTo} were flushed. */
    public final boolean isBack(final long flushedTo) {
        enter();
        final boolean back = posted <= Math.max(flushedTo, hwCompletedSeq());
        leave();
        return back;
    }

    /** The first request that the hardware has not completed. */
    public long hwCompletedSeq() {
        return retired();
    }

    /** Forgets everything posted (a move to RESET); not open. */
    public final void reset() {
        enter();
        assert !open : "hardware still has requests";
        posted = producer;
        backlog(false);
        onReset();
        retireThrough(producer - 1);
        leave();
    }

    @Override
    public final String toString() {
        return "retired " + retired() + ", posted " + posted + ", producer " + producer;
    }
}
