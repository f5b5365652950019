package io.vhca.harness.sim.check;

import io.vhca.api.WcFlags;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;
import io.vhca.harness.sim.scenario.RnrPatience;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** One direction of one connection with the checkers that watch it; both ends tell it what they see. */
public final class Direction {
    private final OpPlan plan;
    private final Side sender;
    private final SendCompletionChecker sends;
    private final DeliveryChecker delivery;
    private final MemoryChecker memory;
    private final AtomicsChecker atomics;
    private final @Nullable MistakeChecker mistake;
    private final @Nullable EndChecker end;
    private final String where;
    private final Violations violations;
    private int rkey;
    private int heldFrom = Integer.MAX_VALUE;
    private long receives;

    Direction(
            final OpPlan plan, final Side sender, final int qpIndex, final Scenario scenario,
            final @Nullable OwnMistake mistake, final @Nullable EarlyEnd end, final PeerMemory peer,
            final Violations violations, final boolean isMemoryWatched) {
        this.plan = plan;
        this.sender = sender;
        this.violations = violations;
        where = "qp " + qpIndex + " " + sender.label() + " to " + sender.other().label();
        sends = new SendCompletionChecker(plan, scenario.qps().get(qpIndex).isSignalAll(), where, violations);
        delivery = new DeliveryChecker(plan, where, violations);
        memory = new MemoryChecker(
                plan, peer.regionAddress(), peer.shadowAddress(), where,
                isMemoryWatched ? violations : new Violations());
        atomics = new AtomicsChecker(
                plan, scenario.atomics(), peer.wordAddress(plan.regionBytes()), peer.commonWordAddress(), where,
                isMemoryWatched ? violations : new Violations());
        receives = RnrPatience.isFew(scenario, sender) ? 0 : Long.MAX_VALUE;
        this.mistake = mistake == null ? null : new MistakeChecker(mistake, scenario, plan, where, violations);
        this.end = end == null ? null : new EndChecker(end, scenario, plan, sender, where, violations);
    }

    public OpPlan plan() {
        return plan;
    }

    public SendCompletionChecker sends() {
        return sends;
    }

    /** The operation that the sender gets wrong; null for none. */
    public @Nullable OwnMistake mistake() {
        return mistake == null ? null : mistake.mistake();
    }

    /** How an application ends the connection under traffic; null where none does. */
    @Nullable EarlyEnd earlyEnd() {
        return end == null ? null : end.end();
    }

    /** An application ends it now: what is not done may be flushed. */
    void endEarly() {
        sends.onDisconnect();
        if (end != null) {
            end.begin();
        }
    }

    /** Of the operations posted so far, those that may be executed. */
    private int executable() {
        return mistake == null ? sends.posted() : mistake.executable(sends.posted());
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

    /** The receiver has posted so many receives in all, and says so at once to a sender that waits for them. */
    public void receives(final long posted) {
        receives = Math.max(receives, posted);
    }

    /** Of so many operations that are next, the first for whose messages there are receives, as far as that counts. */
    public int coveredOf(final int first, final int most) {
        int end = first;
        long left = receives - plan.messagesBefore(first);
        while (end < first + most && (left > 0 || !plan.isMessage(end))) {
            left -= plan.isMessage(end) ? 1 : 0;
            end++;
        }
        return end - first;
    }

    /**
     * A completion of the sender's queue pair was polled.
     *
     * @param slots where the data of an operation is, or its answer
     */
    public void onSendCompletion(final WorkCompletion wc, final IntToLongFunction slots) {
        final int before = sends.succeeded();
        final boolean wasGood = !sends.hasFailed();
        sends.onCompletion(wc.wrId(), wc.status(), wc.opcode(), wc.byteLen());
        if (wasGood && sends.hasFailed()) {
            atomics.onFailed(sends.completed() - 1, sends.posted(), wc.vendorErr());
            if (mistake != null) {
                mistake.onFailed(sends.completed() - 1, sends.firstError());
            }
            if (end != null) {
                end.onFailed(sends.completed() - 1, sends.firstError());
            }
        }
        if (mistake != null && wasGood) {
            mistake.onSuccess(sends.succeeded());
        }
        for (int op = before; op < sends.succeeded(); op++) {
            if (plan.isRead(op)) {
                memory.onReadCompleted(op, slots.applyAsLong(op), sends.posted());
            } else if (plan.atomics().isAtomic(op)) {
                atomics.onCompleted(op, slots.applyAsLong(op));
            }
        }
    }

    /** A receive completed with success. Returns the operation it was taken for, -1 for none. */
    public int onReceived(final WorkCompletion wc, final long dataAddress) {
        final int op = delivery.onReceived(
                wc.opcode(), wc.byteLen(), (wc.wcFlags() & WcFlags.WITH_IMM) != 0, wc.immData(), dataAddress);
        if (op >= 0) {
            onArrived(op);
        }
        return op;
    }

    /** Nothing is under way: memory and words hold what the operations left that succeeded. */
    public void checkMemory() {
        checkMemoryAfter(0, (byte) 0, false);
    }

    /**
     * The same after one WRITE more, at the beginning of the receiver's region, of the same byte {@code lengthBytes}
     * times.
     *
     * @param isThere it has succeeded; else it may be there or not
     */
    public void checkMemoryAfter(final int lengthBytes, final byte value, final boolean isThere) {
        memory.onQuietAfter(sends.succeeded(), executable(), lengthBytes, value, isThere);
        atomics.onQuiet(sends.succeeded(), executable());
    }

    /** Puts the receiver's memory into the state before the first operation. */
    void initialise() {
        memory.initialise();
        atomics.initialise();
    }

    private void onArrived(final int op) {
        if (op >= heldFrom) {
            violations.report("SQD holds what comes later", where, plan.describe(op) + " arrived, it waits in SQD");
        }
        if (mistake != null) {
            mistake.onArrived(op);
        }
        memory.onMessageSeen(op, executable());
        atomics.onMessageSeen(op, executable());
    }

    /** True once every planned operation was posted and is known to be complete. */
    public boolean isSent() {
        return sends.posted() == plan.count() && sends.completed() == plan.count();
    }

    /** The message that has not arrived, in words. */
    public String describeNext() {
        return plan.describe(delivery.nextOp());
    }

    /** True once the receiver has every message of the plan. */
    public boolean isReceived() {
        return delivery.nextOp() == plan.count();
    }

    /** True when the receiver has polled all that the sender knows to be there, or will poll no more. */
    boolean isPolled() {
        return end != null && end.isReceiverGone() || delivery.received() >= plan.messagesBefore(sends.succeeded());
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
            if (end == null || !end.isReceiverGone()) {
                AcknowledgementChecker.check(plan, sends.succeeded(), delivery.received(), where, violations);
            }
            checkMemory();
        }
    }
}
