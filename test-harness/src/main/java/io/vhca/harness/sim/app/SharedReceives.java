package io.vhca.harness.sim.app;

import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.WcStatus;
import io.vhca.harness.sim.core.Violations;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * One side's shared receive queue with its buffers: posts what is free, and sees that each receive completes once.
 * Receives that several queue pairs share complete in any order.
 */
final class SharedReceives {
    private static final String NAME = "a shared receive completes once";
    private static final byte POISON = (byte) 0xd7;

    private final SharedReceiveQueue srq;
    private final MemoryRegion region;
    private final int slotBytes;
    private final long[] numberIn;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final WrBlock wrs;
    private final boolean outlivesDevices;
    private final String where;
    private final Violations violations;
    private long posted;

    /**
     * @param region          a whole number of buffers of {@code slotBytes}
     * @param outlivesDevices nothing is refused, and what a queue pair held when it ended is given to the others: the
     *                        promise of a bond
     */
    SharedReceives(
            final SharedReceiveQueue srq, final MemoryRegion region, final int slotBytes, final WrBlock wrs,
            final boolean outlivesDevices, final String where, final Violations violations) {
        this.outlivesDevices = outlivesDevices;
        this.srq = srq;
        this.region = region;
        this.slotBytes = slotBytes;
        this.wrs = wrs;
        this.where = where;
        this.violations = violations;
        numberIn = new long[(int) (region.lengthBytes() / slotBytes)];
        Arrays.fill(numberIn, -1);
        for (int slot = 0; slot < numberIn.length; slot++) {
            free.add(slot);
        }
    }

    SharedReceiveQueue srq() {
        return srq;
    }

    /** Posts up to {@code most} receives. Returns how many. */
    int refill(final int most) {
        int count = 0;
        while (count < most && !free.isEmpty()) {
            final int slot = free.peek();
            final long address = region.addr() + (long) slot * slotBytes;
            NativeMemory.fill(address, slotBytes, POISON);
            final RecvWorkRequest wr = wrs.recv()
                    .wrId(WrIds.FIRST_RECV + posted * numberIn.length + slot)
                    .next(0)
                    .sge(0, address, slotBytes, region.lkey())
                    .numSge(1);
            if (srq.postRecv(wr) != 1) {
                if (outlivesDevices) {
                    violations.report(NAME, where, "receive " + posted + " is refused, " + free.size() + " are free");
                }
                return count;
            }
            free.poll();
            numberIn[slot] = posted++;
            count++;
        }
        return count;
    }

    /**
     * A receive completed; its buffer stays as it is until the next {@link #refill}.
     *
     * @return where the data is, 0 where there is none
     */
    long onCompletion(final long wrId, final int statusCode) {
        final long number = (wrId - WrIds.FIRST_RECV) / numberIn.length;
        final int slot = (int) ((wrId - WrIds.FIRST_RECV) % numberIn.length);
        final WcStatus status = WcStatus.fromCode(statusCode);
        if (numberIn[slot] != number) {
            violations.report(NAME, where, status + " for receive " + number + ", which is not posted");
            return 0;
        }
        numberIn[slot] = -1;
        free.add(slot);
        if (status == WcStatus.WR_FLUSH_ERR && outlivesDevices) {
            violations.report(NAME, where, "receive " + number + " was flushed, the queue is shared");
        }
        return status == WcStatus.SUCCESS ? region.addr() + (long) slot * slotBytes : 0;
    }
}
