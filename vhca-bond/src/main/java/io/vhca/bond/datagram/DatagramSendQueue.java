package io.vhca.bond.datagram;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.SendRing;
import io.vhca.bond.queue.VirtualQueue;
import io.vhca.bond.verbs.AddressHandles;
import io.vhca.bond.verbs.BondAddressHandle;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a vQP for datagrams. A request waits in its slot until it is known where its destination lives now
 * ({@link Destination}); then it is translated in place and posted by pointer. Nothing is ever sent twice: what
 * hardware had when its path died counts as sent, but for what it said it could not send.
 *
 * <p>Threads: as {@link VirtualQueue}.
 */
public final class DatagramSendQueue extends SendRing {
    private static final long NONE_UNSENT = Long.MAX_VALUE;
    /** The number of multicast: no queue pair has it. */
    private static final int NOBODY = 0xFF_FFFF;
    private static final int OPCODES = 1 << WrOpcode.SEND.code() | 1 << WrOpcode.SEND_WITH_IMM.code();

    private final BondDatagramQp owner;
    private final DatagramSlots slots;
    private final AddressHandles handles;
    private final DestinationTable destinations = new DestinationTable();

    private long unsentFrom = NONE_UNSENT;

    DatagramSendQueue(
            final BondDatagramQp owner,
            final LocalKeys localKeys,
            final AddressHandles handles,
            final DatagramSlots slots,
            final QpCapabilities cap,
            final boolean sigAll) {
        super(owner, localKeys, cap.maxSendWr(), cap.maxSendSge(), sigAll);
        this.owner = owner;
        this.slots = slots;
        this.handles = handles;
    }

    @Override
    public DatagramSlots slots() {
        return slots;
    }

    // ---- the application's side -------------------------------------------------------------------------------

    /** Takes a chain; see {@link QueuePair#postSend(long)}. */
    public int post(final long wrAddress) {
        enterOwn();
        try {
            int accepted = 0;
            for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
                final int error = enqueue(wr);
                if (error != 0) {
                    if (accepted == 0) {
                        return posted(wrAddress, error);
                    }
                    break;
                }
                accepted++;
            }
            if (open) {
                pump();
            } else {
                keptBack();
            }
            return posted(wrAddress, accepted);
        } finally {
            leave();
        }
    }

    private int enqueue(final long wr) {
        final long sequence = producer;
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final long handle = NativeMemory.getLong(wr + SendWrDescriptor.UD_AH_OFFSET);
        final BondAddressHandle ah = handles.find(handle);
        if (!accepting
                || sequence - retired() >= capacity
                || Integer.compareUnsigned(numSge, maxSge) > 0
                || !isCarried(opcode)
                || ah == null
                || ah.pd() != owner.pd()) {
            return refused(wr, refusal(opcode, numSge, ah));
        }
        final long flagsAndImm = NativeMemory.getLong(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final int flags = (int) flagsAndImm & CARRIED_FLAGS | alwaysFlags;
        final long to = slots.address(sequence);
        final long sges = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        NativeMemory.putInt(to + SendWrDescriptor.NUM_SGE_OFFSET, numSge);
        NativeMemory.putInt(to + SendWrDescriptor.OPCODE_OFFSET, opcode);
        if ((flags & SendFlags.INLINE) == 0) {
            slots.copySges(to, sges, numSge, localKeys.snapshot(), member);
        } else if (!slots.copyInline(to, sges, numSge)) {
            return -Errno.EINVAL;
        }
        NativeMemory.putLong(
                to + SendWrDescriptor.SEND_FLAGS_OFFSET,
                flagsAndImm & IMM_MASK | hardwareFlags(flags, sequence, signalMask) & 0xFFFF_FFFFL);
        slots.keep(to, wr, flags, opcode, handle);
        producer = sequence + 1;
        return 0;
    }

    @Override
    protected int enqueueOne(final long wr) {
        return enqueue(wr);
    }

    private static boolean isCarried(final int opcode) {
        return (opcode & ~31) == 0 && (OPCODES & 1 << opcode) != 0;
    }

    /** Why a request is not taken; the order is that of what the caller can do about it. */
    private int refusal(final int opcode, final int numSge, final @Nullable BondAddressHandle ah) {
        if (!isCarried(opcode)) {
            return -Errno.EOPNOTSUPP;
        }
        final boolean isWrong = !accepting
                || Integer.compareUnsigned(numSge, maxSge) > 0
                || ah == null
                || ah.pd() != owner.pd();
        return isWrong ? -Errno.EINVAL : -Errno.ENOMEM;
    }

    // ---- the hardware's side ----------------------------------------------------------------------------------

    /** Gives the hardware what it will take, as one chain, up to a request whose destination is not known. */
    private void pump() {
        assert isInOrder() : this;
        final long from = posted;
        final QueuePair qp = physical;
        final long ready = qp == null ? from : translate(from);
        if (ready != from && qp != null) {
            final int taken = qp.postSend(slots.link(from, ready));
            if (taken > 0) {
                posted = from + taken;
            } else {
                onRefused(taken);
            }
        }
        backlog(posted != producer);
    }

    /** Up to a request that waits for its destination. */
    private long translate(final long from) {
        final LocalKeys.Snapshot keys = localKeys.snapshot();
        long sequence = from;
        while (sequence != producer) {
            final Destination to = destinations.find(slots.handle(sequence), slots.qpNum(sequence));
            if (to == null || !to.isReady()) {
                owner.onDestinationMissing();
                break;
            }
            to.used();
            translate(sequence, keys, to.physicalHandle(), to.physicalQpNum());
            sequence++;
        }
        return sequence;
    }

    private void translate(
            final long sequence, final LocalKeys.Snapshot keys, final long physicalHandle, final int physicalQpNum) {
        final long wr = slots.address(sequence);
        slots.translateLocalKeys(wr, keys, member);
        NativeMemory.putLong(wr + SendWrDescriptor.UD_AH_OFFSET, physicalHandle);
        NativeMemory.putInt(wr + SendWrDescriptor.UD_REMOTE_QPN_OFFSET, physicalQpNum);
        NativeMemory.putLong(wr + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
    }

    @Override
    protected void pumpWaiting() {
        if (open) {
            pump();
        }
    }

    // ---- control thread -------------------------------------------------------------------------------------------

    /** Takes a physical QP; what waits goes there. */
    public void attachAndOpen(final QueuePair qp, final int ownMember, final long prefix) {
        enter();
        take(qp, ownMember, prefix);
        open = true;
        pump();
        leave();
    }

    /** Hardware did not send this one, nor what it was given behind it. Inside the send CQ's gate. */
    public void sendAgainFrom(final long sequence) {
        enter();
        unsentFrom = Math.min(unsentFrom, sequence);
        leave();
    }

    /** One behind the last request that counts as sent, once all completions were seen; what is behind it waits. */
    public long settle() {
        enter();
        rewind(Math.max(retired(), Math.min(posted, unsentFrom)));
        unsentFrom = NONE_UNSENT;
        backlog(posted != producer);
        final long end = posted;
        leave();
        return end;
    }

    /** Changes what is known of destinations while no post looks. */
    public void change(final Runnable change) {
        enter();
        change.run();
        leave();
    }

    /** Tries again what waits. */
    public void goOn() {
        enter();
        pumpWaiting();
        leave();
    }

    public DestinationTable destinations() {
        return destinations;
    }

    /** The first request that was not given to hardware: handle of its vAH; 0 when there is none. */
    public long waitingHandle() {
        enter();
        final long handle = posted == producer ? 0 : slots.handle(posted);
        leave();
        return handle;
    }

    /** The vQPN that the first request which was not given to hardware is for. */
    public int waitingQpNum() {
        enter();
        final int qpNum = slots.qpNum(posted);
        leave();
        return qpNum;
    }

    /** Whether hardware has requests that are not known to be done, by a completion of their own or of a later one. */
    boolean isAtHardware() {
        enter();
        final boolean isAny = retired() < posted;
        leave();
        return isAny;
    }

    /**
     * Takes the first request that waits for a destination as sent, and lost: one behind it, for who completes it.
     * Inside the send CQ's gate until that is done. Hardware has none before it.
     */
    long lose() {
        enter();
        assert posted != producer : "nothing waits";
        final long end = ++posted;
        leave();
        return end;
    }

    /**
     * Has hardware lose the first request that waits for a destination: sent to nobody, it completes behind what
     * hardware has of those before it. False where hardware does not take it; that is noted.
     *
     * @param handle of an address of a device
     */
    boolean loseBehind(final long handle) {
        enter();
        final QueuePair qp = Objects.requireNonNull(physical);
        translate(posted, localKeys.snapshot(), handle, NOBODY);
        slots.signal(posted);
        final int taken = qp.postSend(slots.link(posted, posted + 1));
        if (taken == 1) {
            posted++;
            backlog(posted != producer);
        } else {
            shut();
            owner.onPhysicalPostRefused(taken);
        }
        leave();
        return taken == 1;
    }

    @Override
    protected void onReset() {
        unsentFrom = NONE_UNSENT;
    }
}
