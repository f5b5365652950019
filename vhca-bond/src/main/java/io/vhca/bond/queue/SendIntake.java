package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.wire.PhysicalWrId;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the application posts into the slots of a connected vQP's send queue. Inside the queue's gate.
 *
 * <p>Most requests have one element in registered memory, and are posted while nothing waits: {@link #takeReady} makes
 * such a one ready for the hardware in use as it writes it. Any other is taken by {@link #take}, and
 * {@link SendTranslation} has to look at it again.
 */
final class SendIntake {
    private static final int READ = WrOpcode.RDMA_READ.code();

    private final ConnectedSlots slots;
    private final SendTranslation translation;
    private final LocalKeys localKeys;
    private final int alwaysFlags;
    private final int signalMask;

    /** The member in use, and what the numbers of requests that it is given begin with. */
    private int member;
    private long wrIdPrefix;
    /** The key translated last, as one of {@link #knownKeys}. */
    private LocalKeys.@Nullable Snapshot knownKeys;
    private int knownKey;
    private int knownLkey;
    /** Requests taken that consume no receive of the peer's. */
    private long others;

    SendIntake(
            final ConnectedSlots slots, final SendTranslation translation, final LocalKeys localKeys,
            final int alwaysFlags, final int signalMask) {
        this.slots = slots;
        this.translation = translation;
        this.localKeys = localKeys;
        this.alwaysFlags = alwaysFlags;
        this.signalMask = signalMask;
    }

    /** Another physical queue pair is in use. */
    void attach(final int ownMember, final long prefix) {
        member = ownMember;
        wrIdPrefix = prefix;
        knownKeys = null;
    }

    /** Of all that were taken since the last {@link #reset}, those that consume no receive of the peer's. */
    long others() {
        return others;
    }

    void reset() {
        others = 0;
    }

    /** What {@link #takeReady} translates with; taken once a post. */
    LocalKeys.Snapshot keys() {
        return localKeys.snapshot();
    }

    /**
     * Takes a request that has one element in registered memory, ready for the hardware in use; false, and nothing is
     * taken, where it is another, is to be refused, or its remote key must be asked for.
     */
    boolean takeReady(final long wr, final long to, final long sequence, final LocalKeys.Snapshot keys) {
        // Neighbouring 32-bit fields travel as one 64-bit word: num_sge and opcode, send_flags and imm_data.
        final long shape = NativeMemory.getLong(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final long flagsAndImm = NativeMemory.getLong(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final boolean isSend = (shape & ~SendOpcodes.WITH_IMM) == SendOpcodes.SEND_OF_ONE;
        if ((flagsAndImm & SendFlags.INLINE) != 0 || !isSend && !takeTarget(wr, to, shape)) {
            return false;
        }
        final long sge = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        final long lengthAndKey = NativeMemory.getLong(sge + SgeDescriptor.LENGTH_OFFSET);
        final int vlkey = (int) (lengthAndKey >>> Integer.SIZE);
        final int lkey = vlkey == knownKey && keys == knownKeys ? knownLkey : know(vlkey, keys);
        slots.putOne(to, SgeDescriptor.addr(sge), lengthAndKey, lkey);
        number(to, sequence);
        putShapeAndFlags(wr, to, sequence, shape, flagsAndImm);
        return true;
    }

    /** Writes the {@code wr_id} that the member in use is given. */
    void number(final long to, final long sequence) {
        NativeMemory.putLong(to + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
    }

    private boolean takeTarget(final long wr, final long to, final long shape) {
        final int opcode = (int) (shape >>> Integer.SIZE);
        if ((int) shape != 1 || (opcode & ~31) != 0 || (SendOpcodes.RDMA & 1 << opcode) == 0) {
            return false;
        }
        slots.copyTarget(to, wr);
        if (!translation.translateRemoteKey(to, to + SendWrDescriptor.RDMA_RKEY_OFFSET)) {
            return false;
        }
        count(opcode);
        return true;
    }

    private int know(final int vlkey, final LocalKeys.Snapshot keys) {
        final int lkey = keys.lkey(vlkey, member);
        knownKeys = keys;
        knownKey = vlkey;
        knownLkey = lkey;
        return lkey;
    }

    /**
     * Takes any request that is carried and no atomic; its {@code wr_id} and remote key are still to be written. False
     * where it is INLINE and longer than the queue pair allows, or a READ, which needs memory to bring bytes into.
     *
     * @param shape num_sge and opcode, as the 64-bit word that they are
     */
    boolean take(final long wr, final long to, final long sequence, final long shape) {
        final long flagsAndImm = NativeMemory.getLong(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final long sges = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        final int opcode = (int) (shape >>> Integer.SIZE);
        putShapeAndFlags(wr, to, sequence, shape, flagsAndImm);
        if ((flagsAndImm & SendFlags.INLINE) == 0) {
            slots.copySges(to, sges, (int) shape, localKeys.snapshot(), member);
        } else if (opcode == READ || !slots.copyInline(to, sges, (int) shape)) {
            return false;
        }
        if ((SendOpcodes.RDMA & 1 << opcode) != 0) {
            slots.copyTarget(to, wr);
        }
        count(opcode);
        return true;
    }

    /** Takes an atomic, which has one element, as {@link #take} does others. */
    void takeAtomic(final long wr, final long to, final long sequence) {
        final int asked = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET) & SendRing.CARRIED_FLAGS;
        final int flags = asked & ~SendFlags.INLINE | alwaysFlags;
        slots.keepAtomic(to, wr, flags, localKeys.snapshot(), member);
        NativeMemory.putInt(to + SendWrDescriptor.SEND_FLAGS_OFFSET, hardwareFlags(flags, sequence));
        others++;
    }

    private void putShapeAndFlags(
            final long wr, final long to, final long sequence, final long shape, final long flagsAndImm) {
        final int flags = (int) flagsAndImm & SendRing.CARRIED_FLAGS | alwaysFlags;
        NativeMemory.putLong(to + SendWrDescriptor.NUM_SGE_OFFSET, shape);
        NativeMemory.putLong(
                to + SendWrDescriptor.SEND_FLAGS_OFFSET,
                flagsAndImm & SendRing.IMM_MASK | hardwareFlags(flags, sequence) & 0xFFFF_FFFFL);
        SendSlots.keep(to, wr, flags, (int) (shape >>> Integer.SIZE));
    }

    /** The application's flags, and a signal every so often: which requests get one depends on nothing else. */
    private int hardwareFlags(final int flags, final long sequence) {
        return SendRing.hardwareFlags(flags, sequence, signalMask);
    }

    private void count(final int opcode) {
        others += ~SendOpcodes.MESSAGES >>> opcode & 1;
    }
}
