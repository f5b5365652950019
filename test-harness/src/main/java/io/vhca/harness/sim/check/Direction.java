package io.vhca.harness.sim.check;

import io.vhca.bond.AtomicsMode;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/** One direction of one connection with the checkers that watch it; both ends tell it what they see. */
public final class Direction {
    private final OpPlan plan;
    private final Side sender;
    private final SendCompletionChecker sends;
    private final DeliveryChecker delivery;
    private final MemoryChecker memory;
    private final AtomicsChecker atomics;
    private final String where;
    private final Violations violations;
    private int rkey;
    private int heldFrom = Integer.MAX_VALUE;

    Direction(
            final OpPlan plan, final Side sender, final int qpIndex, final boolean isSignalAll,
            final AtomicsMode atomicsMode, final PeerMemory peer, final Violations violations,
            final boolean isMemoryWatched) {
        this.plan = plan;
        this.sender = sender;
        this.violations = violations;
        where = "qp " + qpIndex + " " + sender.label() + " to " + sender.other().label();
        sends = new SendCompletionChecker(plan, isSignalAll, where, violations);
        delivery = new DeliveryChecker(plan, where, violations);
        memory = new MemoryChecker(
                plan, peer.regionAddress(), peer.shadowAddress(), where,
                isMemoryWatched ? violations : new Violations());
        atomics = new AtomicsChecker(
                plan, atomicsMode, peer.wordAddress(plan.regionBytes()), peer.commonWordAddress(), where,
                isMemoryWatched ? violations : new Violations());
    }

    public OpPlan plan() {
        return plan;
    }

    Side sender() {
        return sender;
    }

    public SendCompletionChecker sends() {
        return sends;
    }

    public DeliveryChecker delivery() {
        return delivery;
    }

    public MemoryChecker memory() {
        return memory;
    }

    /** The receiver's memory has another key from now on. */
    public void rkey(final int newRkey) {
        rkey = newRkey;
    }

    /** The key of the receiver's memory; {@code first}, which it told when it was connected, until it has another. */
    public int rkeyOr(final int first) {
        return rkey == 0 ? first : rkey;
    }

    /** From that operation on all waits: the sender's queue pair is in SQD. */
    public void holdFrom(final int op) {
        heldFrom = op;
    }

    /** Message {@code op} has arrived. */
    public void onArrived(final int op) {
        if (op >= heldFrom) {
            violations.report("SQD holds what comes later", where, plan.describe(op) + " arrived, it waits in SQD");
        }
        memory.onMessageSeen(op, sends.posted());
        atomics.onMessageSeen(op, sends.posted());
    }

    public AtomicsChecker atomics() {
        return atomics;
    }

    /** True once every planned operation was posted and is known to be complete. */
    public boolean isSent() {
        return sends.posted() == plan.count() && sends.completed() == plan.count();
    }

    /** True once the receiver has every message of the plan. */
    public boolean isReceived() {
        return delivery.nextOp() == plan.count();
    }

    /**
     * The checks that need a quiet network.
     *
     * @param mustBeWhole       nothing may be missing
     * @param isReceiverWatched the receiver's process lives and could poll all it got
     */
    public void checkAtEnd(final boolean mustBeWhole, final boolean isReceiverWatched) {
        CountsChecker.check(plan, sends, delivery.received(), mustBeWhole, where, violations);
        if (isReceiverWatched) {
            AcknowledgementChecker.check(plan, sends.succeeded(), delivery.received(), where, violations);
            memory.onQuiet(sends.succeeded(), sends.posted());
            atomics.onQuiet(sends.succeeded(), sends.posted());
        }
    }
}
