package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.bond.memory.BufferSink;

/**
 * What the send queues of all kinds of vQPs share: which of their requests ask for a completion, and how one is made up
 * that no hardware reported. Threads: as {@link VirtualQueue}.
 */
public abstract class SendRing extends VirtualQueue {
    protected static final int CARRIED_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;
    /** imm_data in the 64-bit word that it shares with send_flags. */
    protected static final long IMM_MASK = 0xFFFF_FFFF_0000_0000L;

    protected final int maxSge;
    protected final int alwaysFlags;
    protected final int signalMask;

    protected SendRing(
            final QueueOwner owner, final LocalKeys localKeys, final int capacity, final int maxSge,
            final boolean sigAll) {
        super(owner, localKeys, capacity);
        this.maxSge = maxSge;
        // At least one signaled request a quarter of the ring, so that unsignaled ones do not fill the hardware's.
        signalMask = Math.max(1, Integer.highestOneBit(capacity) / 4) - 1;
        alwaysFlags = sigAll ? SendFlags.SIGNALED : 0;
    }

    /** What the application posted. */
    public abstract SendSlots slots();

    @Override
    public final long wrId(final long sequence) {
        return slots().wrId(sequence);
    }

    @Override
    protected final void buffers(final long sequence, final BufferSink to) {
        slots().buffers(sequence, to);
    }

    @Override
    protected final String refusal(final long wr, final int error) {
        return PostRefusal.ofSend(wr, error, maxSge, slots().maxInline());
    }

    @Override
    protected final String describe(final long sequence) {
        return slots().describe(sequence);
    }

    @Override
    protected final boolean isOfReceives() {
        return false;
    }

    /** The application's flags, and a signal every so often: which requests get one depends on nothing else. */
    protected static int hardwareFlags(final int flags, final long sequence, final int signalMask) {
        return (sequence & signalMask) == signalMask ? flags | SendFlags.SIGNALED : flags;
    }

    /** The oldest unfinished request, when the hardware has one that must complete; else -1. */
    public final long oldestAwaited() {
        enter();
        final long oldest = retired();
        final boolean awaited = slots().hasSignaled(oldest, posted);
        leave();
        return awaited ? oldest : -1;
    }

    /**
     * Writes a success completion for the next signaled request in [retired, end) and retires all up to it; false when
     * there is none, all are retired then. Inside the send CQ's gate.
     */
    public final boolean completeNext(final long wc, final long end, final int qpNum) {
        final SendSlots slots = slots();
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

    /**
     * Writes a completion with an error for the oldest unfinished request and retires it; false when there is none.
     * Inside the send CQ's gate.
     */
    public final boolean failNext(final long wc, final int status, final int vendorErr, final int qpNum) {
        if (isFinished()) {
            return false;
        }
        final long sequence = retired();
        VirtualCompletion.write(wc, slots(), sequence, status, qpNum);
        NativeMemory.putInt(wc + WcDescriptor.VENDOR_ERR_OFFSET, vendorErr);
        retireThrough(sequence);
        return true;
    }
}
