package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.LedgerWord;
import io.vhca.bond.wire.MarkDescriptor;
import io.vhca.bond.wire.PhysicalWrId;

/**
 * Send slots behind whose one-sided requests marks are chained: small inline WRITEs of the sequence into the peer's
 * {@link LedgerWord}. RC executes in order, so the word says up to where the peer has executed.
 *
 * <pre>
 *   slot(n) -> mark(n) -> slot(n+1) -> mark(n+1) ...      ledger = each
 * </pre>
 *
 * <p>A class of its own, and not a flag, so that a queue without marks does nothing for them.
 */
final class MarkedSlots extends ConnectedSlots {
    private static final int BATCH = 8;

    private final long marks;
    private final int interval;
    private final boolean marksEnds;
    private long address;
    private int rkey;
    private long wrIdPrefix;
    /** One-sided requests given behind the last mark or message. */
    private int unmarked;
    private long linkedEnd;
    private int linkedRequests;
    private int linkedUnmarked; // once all of it is given
    /** There is nobody to write marks for. */
    private boolean isPlain;

    /** @param marksEnds whether a mark follows the last request of each chain, so that all of it can be confirmed */
    MarkedSlots(
            final NativeBlock block, final int capacity, final int maxSge, final int maxInline, final LedgerMode mode,
            final boolean marksEnds) {
        super(block, capacity, maxSge, maxInline);
        this.marksEnds = marksEnds;
        interval = mode == LedgerMode.EACH ? 1 : BATCH;
        marks = block.part(
                "vSM", (long) slotCount() * MarkDescriptor.SIZE, MarkDescriptor.SIZE, MarkDescriptor.SIZE);
        for (int i = 0; i < slotCount(); i++) {
            final long wr = marks + (long) i * MarkDescriptor.SIZE;
            SgeDescriptor.write(
                    wr + MarkDescriptor.SGE_OFFSET, wr + MarkDescriptor.VALUE_OFFSET, LedgerWord.SIZE, 0);
            NativeMemory.putLong(wr + SendWrDescriptor.SG_LIST_OFFSET, wr + MarkDescriptor.SGE_OFFSET);
            NativeMemory.putInt(wr + SendWrDescriptor.NUM_SGE_OFFSET, 1);
            NativeMemory.putInt(wr + SendWrDescriptor.OPCODE_OFFSET, WrOpcode.RDMA_WRITE.code());
            NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, SendFlags.INLINE);
        }
    }

    /** What the marks take of a block, besides the slots. */
    static long markBytes(final int capacity) {
        return NativeBlock.bytesOf((long) slotCount(capacity) * MarkDescriptor.SIZE);
    }

    @Override
    void markInto(final long wordAddress, final int wordKey, final long prefix) {
        address = wordAddress;
        rkey = wordKey;
        wrIdPrefix = prefix;
    }

    @Override
    void plain(final boolean value) {
        isPlain = value;
    }

    private long mark(final long sequence) {
        return marks + slotIndex(sequence) * MarkDescriptor.SIZE;
    }

    @Override
    long chain(final long from, final long end) {
        final long first = address(from);
        long last = 0;
        int requests = 0;
        int behind = unmarked;
        for (long sequence = from; sequence != end; sequence++) {
            final long wr = address(sequence);
            if (last != 0) {
                NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, wr);
            }
            last = wr;
            requests++;
            behind = unmarked(behind, opcode(sequence));
            final boolean isDue = behind >= interval || marksEnds && behind > 0 && sequence + 1 == end;
            behind = isDue ? 0 : behind;
            final boolean isMarked = isDue && !isPlain;
            final long mark = mark(sequence);
            NativeMemory.putLong(mark + MarkDescriptor.GIVEN_OFFSET, isMarked ? 1 : 0);
            if (isMarked) {
                write(mark, sequence);
                NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, mark);
                last = mark;
                requests++;
            }
        }
        NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, 0);
        linkedEnd = end;
        linkedRequests = requests;
        linkedUnmarked = behind;
        return first;
    }

    /** How many are without a mark once that request follows. */
    private static int unmarked(final int before, final int opcode) {
        if ((SendOpcodes.MESSAGES & 1 << opcode) != 0) {
            return 0; // what the peer received proves as much
        }
        return (SendOpcodes.LEDGERED & 1 << opcode) == 0 ? before : before + 1;
    }

    private void write(final long mark, final long sequence) {
        NativeMemory.putLong(mark + MarkDescriptor.VALUE_OFFSET, Long.reverseBytes(sequence + 1));
        NativeMemory.putLong(mark + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(wrIdPrefix, sequence));
        NativeMemory.putLong(mark + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET, address);
        NativeMemory.putInt(mark + SendWrDescriptor.RDMA_RKEY_OFFSET, rkey);
    }

    @Override
    long given(final long from, final int taken) {
        if (taken == linkedRequests) {
            unmarked = linkedUnmarked;
            return linkedEnd;
        }
        int left = taken;
        long sequence = from;
        while (left > 0) {
            left -= isMarked(sequence) ? 2 : 1;
            if (left < 0) {
                forget(sequence); // cut between a request and its mark
            }
            unmarked = isMarked(sequence) ? 0 : unmarked(unmarked, opcode(sequence));
            sequence++;
        }
        for (long rest = sequence; rest != linkedEnd; rest++) {
            forget(rest);
        }
        return sequence;
    }

    private void forget(final long sequence) {
        NativeMemory.putLong(mark(sequence) + MarkDescriptor.GIVEN_OFFSET, 0);
    }

    @Override
    boolean hasMarks() {
        return true;
    }

    @Override
    boolean isMarked(final long sequence) {
        return NativeMemory.getLong(mark(sequence) + MarkDescriptor.GIVEN_OFFSET) != 0;
    }
}
