package io.vhca.harness.sim.app;

import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.harness.sim.check.ReceiveCompletionChecker;
import io.vhca.harness.sim.core.Violations;
import java.util.SplittableRandom;

/** The receives of one queue pair's own: keeps them posted, and sees that each completes once and in order. */
final class ReceiveSlots {
    private static final byte POISON = (byte) 0xd7;

    private final WrBlock wrs;
    private final long address;
    private final int slots;
    private final int slotBytes;
    private final int maxSge;
    private final SplittableRandom random;
    private final String where;
    private final Violations violations;
    private ReceiveCompletionChecker checker;

    ReceiveSlots(
            final WrBlock wrs, final long address, final int slots, final int slotBytes, final int maxSge,
            final SplittableRandom random, final String where, final Violations violations) {
        this.wrs = wrs;
        this.address = address;
        this.slots = slots;
        this.slotBytes = slotBytes;
        this.maxSge = maxSge;
        this.random = random;
        this.where = where;
        this.violations = violations;
        checker = new ReceiveCompletionChecker(where, violations);
    }

    /** Forgets all that was posted: there is a new queue pair. */
    void reset() {
        checker = new ReceiveCompletionChecker(where, violations);
    }

    ReceiveCompletionChecker checker() {
        return checker;
    }

    /** Where the data of a receive is. */
    long of(final long number) {
        return address + number % slots * slotBytes;
    }

    /** Posts receives until the window is full, or a random part of it. True when there were any. */
    boolean refill(final QueuePair qp, final int lkey, final boolean isComplete) {
        return post(qp, lkey, isComplete ? slots : random.nextInt(1, slots + 1)) > 0;
    }

    /** Posts receives until so many are, or the window is full. Returns how many. */
    int post(final QueuePair qp, final int lkey, final int most) {
        final long before = checker.posted();
        final long until = Math.min(checker.completed() + slots, before + most);
        long number = before;
        while (number < until && post(qp, number, lkey)) {
            number++;
        }
        if (number > before) {
            checker.onPosted(number);
        }
        return (int) (number - before);
    }

    private boolean post(final QueuePair qp, final long number, final int lkey) {
        final long slot = of(number);
        NativeMemory.fill(slot, slotBytes, POISON);
        final RecvWorkRequest wr = wrs.recv().wrId(WrIds.FIRST_RECV + number).next(0);
        final int sges = random.nextInt(1, Math.min(maxSge, slotBytes) + 1);
        final int firstBytes = sges == 1 ? slotBytes : random.nextInt(1, slotBytes - sges + 2);
        wr.sge(0, slot, firstBytes, lkey).numSge(sges);
        final int rest = slotBytes - firstBytes;
        int done = 0;
        for (int sge = 1; sge < sges; sge++) {
            final int part = sge == sges - 1 ? rest - done : rest / (sges - 1);
            wr.sge(sge, slot + firstBytes + done, part, lkey);
            done += part;
        }
        return qp.postRecv(wr) == 1;
    }
}
