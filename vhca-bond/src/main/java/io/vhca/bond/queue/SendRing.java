package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What every virtual send queue has: slots and its cursors.
 *
 * <pre>
 *   retired            posted              producer
 *     |  at the hardware  |  not given to it  |
 *     v                   v                   v
 *   --+-------------------+-------------------+-----  sequences, 64 bits, monotonic
 * </pre>
 *
 * <p>Everything but {@code retired} and {@code backlog} is read and written inside this gate; {@code retired} is
 * written inside the send CQ's gate and read here with acquire.
 */
public abstract class SendRing extends SpinGate {
    protected static final VarHandle RETIRED;
    private static final VarHandle POSTED;
    protected static final int CARRIED_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;
    /** imm_data in the 64-bit word that it shares with send_flags. */
    protected static final long IMM_MASK = 0xFFFF_FFFF_0000_0000L;

    static {
        try {
            RETIRED = MethodHandles.lookup().findVarHandle(SendRing.class, "retired", long.class);
            POSTED = MethodHandles.lookup().findVarHandle(SendRing.class, "posted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    protected final SendSlots slots;
    protected final int capacity;
    protected final int alwaysFlags;
    private final int signalMask;

    protected long posted;
    protected long producer;
    /** Whether posts are taken at all. */
    protected boolean accepting;
    private volatile boolean backlog;

    @SuppressWarnings({"FieldCanBeFinal", "FieldMayBeFinal"}) // written through RETIRED
    protected long retired;

    protected SendRing(final SendSlots slots, final int capacity, final boolean sigAll) {
        this.slots = slots;
        this.capacity = capacity;
        // At least one signaled request a quarter of the ring, so that unsignaled ones do not fill the hardware's.
        signalMask = Math.max(1, Integer.highestOneBit(capacity) / 4) - 1;
        alwaysFlags = sigAll ? SendFlags.SIGNALED : 0;
    }

    /** The application's flags, and a signal every so often: which requests get one depends on nothing else. */
    protected final int hardwareFlags(final int flags, final long sequence) {
        return (sequence & signalMask) == signalMask ? flags | SendFlags.SIGNALED : flags;
    }

    /** What the application posted. */
    public final SendSlots slots() {
        return slots;
    }

    public final long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** One behind the last request that hardware was given, as seen in passing. */
    public final long postedAtGlance() {
        return (long) POSTED.getOpaque(this);
    }

    public final void retireThrough(final long sequence) {
        RETIRED.setRelease(this, sequence + 1);
    }

    /** The full sequence of a physical completion. */
    public final long sequenceOf(final long physicalWrId) {
        return PhysicalWrId.sequence(physicalWrId, retired);
    }

    /** To be told whenever {@code posted} or {@code producer} has moved. Inside the gate. */
    protected final void backlog(final boolean value) {
        if (backlog != value) {
            backlog = value;
        }
    }

    /** True when requests wait that the hardware, or what they lack, did not let through. */
    public final boolean hasBacklog() {
        return backlog;
    }

    public final void accepting(final boolean value) {
        enter();
        accepting = value;
        leave();
    }

    /** The oldest unfinished request, when the hardware has one that must complete; else -1. */
    public final long oldestAwaited() {
        enter();
        final long oldest = retired();
        final boolean awaited = slots.hasSignaled(oldest, posted);
        leave();
        return awaited ? oldest : -1;
    }

    public final long producerInside() {
        enter();
        final long value = producer;
        leave();
        return value;
    }

    /**
     * Writes a success completion for the next signaled request in [retired, end) and retires all up to it; false when
     * there is none, all are retired then. Inside the send CQ's gate.
     */
    public final boolean completeNext(final long wc, final long end, final int qpNum) {
        for (long sequence = retired(); sequence < end; sequence++) {
            final boolean isSignaled = slots.isSignaled(sequence);
            if (isSignaled) {
                VirtualCompletion.write(wc, slots, sequence, WcStatus.SUCCESS.code(), qpNum);
                NativeMemory.putInt(wc + WcDescriptor.BYTE_LEN_OFFSET, slots.byteCount(sequence));
            }
            retireThrough(sequence);
            if (isSignaled) {
                return true;
            }
        }
        return false;
    }
}
